import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type Failure, failureOf } from "./failure";

/** A value that is loaded from the server. */
export interface Loaded<T> {
  /** The last loaded value; undefined until the first one arrives. */
  readonly value: T | undefined;
  /** Why the last attempt failed; undefined if it succeeded. */
  readonly failure: Failure | undefined;
  readonly isLoading: boolean;
  /** Loads it again now. */
  reload(): void;
}

/** How a value is loaded. */
export interface LoadOptions {
  /** Interval at which it is loaded again while the page is visible; never if unset. */
  readonly everyMs?: number;
  /** Whether the old value stays until the new one arrives. */
  readonly keepsOld?: boolean;
}

type State<T> = Omit<Loaded<T>, "reload">;

const EMPTY = { value: undefined, failure: undefined, isLoading: true };

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
      (value) => abort.signal.aborted || setState({ key, value, failure: undefined, isLoading: false }),
      (error: unknown) =>
        abort.signal.aborted || setState((old) => ({ ...old, key, failure: failureOf(error), isLoading: false })),
    );
    return () => abort.abort();
  }, [key, round]);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  useInterval(reload, everyMs);
  const isCurrent = state.key === key;
  const { value, failure, isLoading } = isCurrent || keepsOld ? state : EMPTY;
  return { value, failure, isLoading: isLoading || !isCurrent, reload };
}

/** Calls a function at an interval while the page is visible, and when it becomes visible again. */
function useInterval(call: () => void, everyMs: number | undefined): void {
  useEffect(() => {
    if (everyMs === undefined) return undefined;
    const callIfVisible = () => document.visibilityState === "visible" && call();
    const timer = setInterval(callIfVisible, everyMs);
    document.addEventListener("visibilitychange", callIfVisible);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", callIfVisible);
    };
  }, [call, everyMs]);
}
