import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { EventFilter } from "../events/event-filters";
import { isLive, onEvent } from "../events/live";
import { type Failure, failureOf } from "./failure";
import { ReloadScheduler } from "./reload-scheduler";

export interface Loaded<T> {
  /** Undefined until the first response arrives. */
  readonly value: T | undefined;
  /** Time at which the value arrived; undefined without a value. */
  readonly loadedAt: Date | undefined;
  /** Why the value could not be loaded or reloaded; undefined if it is up to date. */
  readonly failure: Failure | undefined;
  readonly isLoading: boolean;
  reload(): void;
  /** Shows a newer value, such as the response to an update. */
  replace(value: T): void;
}

export interface LoadOptions {
  /**
   * Time from a response or failure to the next load while the page is visible, in milliseconds. If absent, the value is not reloaded by
   * time. The time is longer while the tab receives events.
   */
  readonly everyMs?: number;
  /** Matches the events after which the value is reloaded. */
  readonly changedBy?: EventFilter;
  /** Whether the value contains visits. They leave no events, so events do not make `everyMs` longer. */
  readonly hasVisits?: boolean;
  /** Whether the value of the former key stays until the new one arrives. */
  readonly keepsOld?: boolean;
}

type State<T> = Omit<Loaded<T>, "reload" | "replace">;

const EMPTY = { value: undefined, loadedAt: undefined, failure: undefined, isLoading: true };

/**
 * While the tab receives events, the time between loads is longer by this factor. Loads are still needed: some changes come with time alone and
 * leave no events, and the credential may be revoked.
 */
const LIVE_FACTOR = 4;

const NO_ANSWER_YET: Failure = { message: "The server has not answered yet.", reason: "", violations: {} };

/**
 * Loads a value when the component is shown.
 *
 * @param key identifies the value. When the key changes, the new value is loaded, and the old one is dropped unless `keepsOld` is set.
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
  // Nobody waits for a quiet load: `isLoading` stays false, so it disables no controls.
  const scheduler = useEvents(changedBy, () => setRound({ isQuiet: true }));
  const inFlight = useRef<AbortController>(undefined);
  const loadedKey = useRef<string>(undefined);
  useEffect(() => {
    const abort = new AbortController();
    const isQuiet = round.isQuiet && loadedKey.current === key;
    inFlight.current = abort;
    loadedKey.current = key;
    scheduler.begin();
    setState((old) => {
      if (old.key !== key && !keepsOld) return { key, ...EMPTY };
      return isQuiet ? old : { ...old, key, isLoading: true };
    });
    const finish = (failure?: Failure) => {
      inFlight.current = undefined;
      // The value is still outdated.
      if (failure !== undefined && isQuiet) scheduler.markOutdated();
      scheduler.end(failure !== undefined);
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
      // The load may have begun before the change that the new value contains.
      inFlight.current.abort();
      inFlight.current = undefined;
      scheduler.markOutdated();
      scheduler.end(false);
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

/** Calls `reload` some time after events that `changedBy` matches. */
function useEvents(changedBy: EventFilter | undefined, reload: () => void): ReloadScheduler {
  const [scheduler] = useState(() => new ReloadScheduler(reload));
  const filter = useRef(changedBy);
  filter.current = changedBy;
  const isFollowing = changedBy !== undefined;
  useEffect(() => {
    if (!isFollowing) return undefined;
    const schedule = () => scheduler.schedule();
    const stop = onEvent((event) => {
      if (event === undefined || filter.current?.(event)) scheduler.markOutdated();
    });
    document.addEventListener("visibilitychange", schedule);
    return () => {
      stop();
      document.removeEventListener("visibilitychange", schedule);
      scheduler.stop();
    };
  }, [scheduler, isFollowing]);
  return scheduler;
}

/**
 * Reloads a value `everyMs` after the last response while the page is visible, and when the page becomes visible again. An in-flight request is
 * never replaced: if a server needed longer than `everyMs`, it would get endless requests, and the page would never get a value.
 *
 * @returns whether the in-flight request has taken longer than `everyMs`.
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
