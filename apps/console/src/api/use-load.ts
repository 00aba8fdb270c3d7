import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { EventFilter } from "../events/event-filters";
import { isLive, onEvent } from "../events/live";
import { type Failure, failureOf } from "./failure";
import { Freshness } from "./freshness";

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
  /**
   * The time after an answer, or a failure, until it is loaded again while the page is visible; never if unset. Longer while events tell
   * of changes.
   */
  readonly everyMs?: number;
  /** Tells which events change the value. It is loaded again shortly after them. */
  readonly changedBy?: EventFilter;
  /** Whether the value contains visits. They leave no events, so the value is still loaded every `everyMs`. */
  readonly hasVisits?: boolean;
  /** Whether the old value stays until the new one arrives. */
  readonly keepsOld?: boolean;
}

type State<T> = Omit<Loaded<T>, "reload" | "replace">;

const EMPTY = { value: undefined, loadedAt: undefined, failure: undefined, isLoading: true };

/** Events make the time between loads longer by this factor. Changes by time alone leave none, and a credential may be revoked. */
const LIVE_FACTOR = 4;

const NO_ANSWER_YET: Failure = { message: "The server has not answered yet.", reason: "", violations: {} };

/**
 * Loads a value when the component is shown.
 *
 * @param key identifies the value. If it changes, the new value is loaded. The old one is dropped at once unless `keepsOld` is set.
 */
export function useLoad<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  { everyMs, keepsOld = false, changedBy, hasVisits = false }: LoadOptions = {},
): Loaded<T> {
  const [state, setState] = useState<State<T> & { readonly key: string }>({ key, ...EMPTY });
  const [round, setRound] = useState({ isQuiet: false });
  const latest = useRef(load);
  latest.current = load;
  const reload = useCallback(() => setRound({ isQuiet: false }), []);
  // The reader does not wait for a quiet load: it is not shown, and disables nothing.
  const freshness = useEvents(changedBy, () => setRound({ isQuiet: true }));
  const inFlight = useRef<AbortController>(undefined);
  const loadedKey = useRef<string>(undefined);
  useEffect(() => {
    const abort = new AbortController();
    const isQuiet = round.isQuiet && loadedKey.current === key;
    inFlight.current = abort;
    loadedKey.current = key;
    freshness.begin();
    setState((old) => {
      if (old.key !== key && !keepsOld) return { key, ...EMPTY };
      return isQuiet ? old : { ...old, key, isLoading: true };
    });
    const finish = (failure?: Failure) => {
      inFlight.current = undefined;
      // The value is still outdated.
      if (failure !== undefined && isQuiet) freshness.touch();
      freshness.end(failure !== undefined);
    };
    latest.current(abort.signal).then(
      (value) => {
        if (abort.signal.aborted) return;
        finish();
        setState({ key, value, loadedAt: new Date(), failure: undefined, isLoading: false });
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        const failure = failureOf(error);
        finish(failure);
        setState((old) => ({ ...old, key, failure, isLoading: false }));
      },
    );
    return () => abort.abort();
  }, [key, round]);
  const replace = (value: T) => {
    if (inFlight.current !== undefined) {
      // The load may have begun before the change that the new value has.
      inFlight.current.abort();
      inFlight.current = undefined;
      freshness.touch();
      freshness.end(false);
    }
    setState((old) => ({ ...old, value, loadedAt: new Date(), failure: undefined, isLoading: false }));
  };
  const isCurrent = state.key === key;
  const { value, loadedAt, failure, isLoading } = isCurrent || keepsOld ? state : EMPTY;
  const isBusy = isLoading || !isCurrent;
  const isFollowed = changedBy !== undefined && !hasVisits && isLive.value;
  const isLate =
    useTimer(reload, isBusy, everyMs && (isFollowed ? everyMs * LIVE_FACTOR : everyMs)) && value !== undefined;
  const shown = failure ?? (isLate ? NO_ANSWER_YET : undefined);
  return { value, loadedAt, failure: shown, isLoading: isBusy, reload, replace };
}

/** Calls a function when a value is to be loaded again after events. */
function useEvents(changedBy: EventFilter | undefined, reload: () => void): Freshness {
  const [freshness] = useState(() => new Freshness(reload));
  const filter = useRef(changedBy);
  filter.current = changedBy;
  const isFollowing = changedBy !== undefined;
  useEffect(() => {
    if (!isFollowing) return undefined;
    const schedule = () => freshness.schedule();
    const stop = onEvent((event) => {
      if (event === undefined || filter.current?.(event)) freshness.touch();
    });
    document.addEventListener("visibilitychange", schedule);
    return () => {
      stop();
      document.removeEventListener("visibilitychange", schedule);
      freshness.stop();
    };
  }, [freshness, isFollowing]);
  return freshness;
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
