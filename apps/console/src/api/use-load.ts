import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type Failure, failureOf } from "./failure";

/** A value that is loaded from the server. */
export interface Loaded<T> {
  /** The last loaded value; undefined until the first one arrives. */
  readonly value: T | undefined;
  /** When the value arrived. */
  readonly loadedAt: Date | undefined;
  /** Why the value could not be loaded, or not loaded again; undefined if it is up to date. */
  readonly failure: Failure | undefined;
  readonly isLoading: boolean;
  /** Loads it again now. */
  reload(): void;
  /** Replaces the value by a newer one, such as the answer to an update. */
  replace(value: T): void;
}

/** How a value is loaded. */
export interface LoadOptions {
  /** The time after an answer, or a failure, until it is loaded again while the page is visible; never if unset. */
  readonly everyMs?: number;
  /** Whether the old value stays until the new one arrives. */
  readonly keepsOld?: boolean;
}

type State<T> = Omit<Loaded<T>, "reload" | "replace">;

const EMPTY = { value: undefined, loadedAt: undefined, failure: undefined, isLoading: true };

const NO_ANSWER_YET: Failure = { message: "The server has not answered yet.", reason: "", violations: {} };

/**
 * Loads a value when the component is shown.
 *
 * @param key identifies the value. If it changes, the new value is loaded. The old one is dropped at once unless `keepsOld` is set.
 */
export function useLoad<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  { everyMs, keepsOld = false }: LoadOptions = {},
): Loaded<T> {
  const [state, setState] = useState<State<T> & { readonly key: string }>({ key, ...EMPTY });
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const abort = new AbortController();
    setState((old) => (old.key === key || keepsOld ? { ...old, key, isLoading: true } : { key, ...EMPTY }));
    latest.current(abort.signal).then(
      (value) =>
        abort.signal.aborted || setState({ key, value, loadedAt: new Date(), failure: undefined, isLoading: false }),
      (error: unknown) =>
        abort.signal.aborted || setState((old) => ({ ...old, key, failure: failureOf(error), isLoading: false })),
    );
    return () => abort.abort();
  }, [key, round]);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  const replace = (value: T) => setState((old) => ({ ...old, value, loadedAt: new Date(), failure: undefined }));
  const isCurrent = state.key === key;
  const { value, loadedAt, failure, isLoading } = isCurrent || keepsOld ? state : EMPTY;
  const isBusy = isLoading || !isCurrent;
  const isLate = useTimer(reload, isBusy, everyMs) && value !== undefined;
  const shown = failure ?? (isLate ? NO_ANSWER_YET : undefined);
  return { value, loadedAt, failure: shown, isLoading: isBusy, reload, replace };
}

/**
 * Loads a value again some time after the last answer while the page is visible, and when it becomes visible again. A request in flight is
 * never replaced: a server that needs longer than this time would get requests for ever, and the page no value.
 *
 * @returns whether the request in flight has taken longer than this time.
 */
function useTimer(reload: () => void, isBusy: boolean, everyMs: number | undefined): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    setLate(false);
    if (everyMs === undefined) return undefined;
    const reloadIfVisible = () => document.visibilityState === "visible" && reload();
    const timer = setTimeout(() => (isBusy ? setLate(true) : reloadIfVisible()), everyMs);
    if (!isBusy) document.addEventListener("visibilitychange", reloadIfVisible);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", reloadIfVisible);
    };
  }, [reload, isBusy, everyMs]);
  return isLate && isBusy;
}
