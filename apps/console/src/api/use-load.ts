import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { EventFilter } from "../events/event-filters";
import { addEventFeedListener, isReceivingEvents } from "../events/tab-feed";
import { type ApiFailure, toApiFailure } from "./api-failure";
import { ReloadScheduler } from "./reload-scheduler";

export interface LoadedValue<T> {
  /** Undefined until the first response arrives. */
  readonly value: T | undefined;
  /** When the value arrived; undefined if there is no value. */
  readonly loadedAt: Date | undefined;
  /** Why the value could not be loaded or reloaded; undefined if the last load succeeded. */
  readonly failure: ApiFailure | undefined;
  readonly isLoading: boolean;
  reload(): void;
  /** Replaces the value with a newer one, such as the response to an update. */
  replace(value: T): void;
}

export interface LoadOptions {
  /**
   * Milliseconds from the end of a load to the next load, while the page is visible. The interval is `LIVE_FACTOR` times as long while the
   * tab receives events. If absent, the value is not reloaded periodically.
   */
  readonly everyMs?: number;
  /** Matches the events that cause a reload. */
  readonly changedBy?: EventFilter;
  /** Whether the value contains visits. Visits cause no events, so `everyMs` applies unchanged even while the tab receives events. */
  readonly hasVisits?: boolean;
  /** Whether the previous value stays visible while the value for a new key loads. By default, a new key removes the previous value immediately. */
  readonly keepsOld?: boolean;
}

type State<T> = Omit<LoadedValue<T>, "reload" | "replace">;

const EMPTY = { value: undefined, loadedAt: undefined, failure: undefined, isLoading: true };

/**
 * The factor by which the time between loads increases while the tab receives events. Periodic loads are still needed: some values change as time
 * passes, without an event, and the server may revoke the credential.
 */
const LIVE_FACTOR = 4;

const NO_ANSWER_YET: ApiFailure = { message: "The server has not answered yet.", reason: "", violations: {} };

/**
 * Loads a value when the component is first shown, and reloads it as the options require.
 *
 * @param key identifies the value. If the key changes, the hook loads the value for the new key. It drops the old value unless `keepsOld` is set.
 */
export function useLoad<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  { everyMs, keepsOld = false, changedBy, hasVisits = false }: LoadOptions = {},
): LoadedValue<T> {
  const [state, setState] = useState<State<T> & { readonly key: string }>({ key, ...EMPTY });
  const [round, setRound] = useState({ isQuiet: false });
  const latest = useRef(load);
  latest.current = load;
  const reload = useCallback(() => setRound({ isQuiet: false }), []);
  // A load that an event causes is quiet: `isLoading` stays false, so that no controls are disabled.
  const scheduler = useEvents(changedBy, () => setRound({ isQuiet: true }));
  const inFlight = useRef<AbortController>(undefined);
  const loadedKey = useRef<string>(undefined);
  useEffect(() => {
    const abort = new AbortController();
    const isNewKey = loadedKey.current !== key;
    const isQuiet = round.isQuiet && !isNewKey;
    inFlight.current = abort;
    loadedKey.current = key;
    scheduler.begin(isNewKey);
    setState((old) => {
      if (old.key !== key && !keepsOld) return { key, ...EMPTY };
      return isQuiet ? old : { ...old, key, isLoading: true };
    });
    const finish = (failure?: ApiFailure) => {
      inFlight.current = undefined;
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
        const failure = toApiFailure(error);
        finish(failure);
        setState((old) => ({ ...old, key, failure, isLoading: false }));
      },
    );
    return () => abort.abort();
  }, [key, round]);
  const replace = (value: T) => {
    if (inFlight.current !== undefined) {
      // Aborts the running load, which may have begun before the change that `value` contains.
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
  const isFollowed = changedBy !== undefined && !hasVisits && isReceivingEvents.value;
  const isLate =
    useTimer(reload, isBusy, everyMs && (isFollowed ? everyMs * LIVE_FACTOR : everyMs)) && value !== undefined;
  const shown = failure ?? (isLate ? NO_ANSWER_YET : undefined);
  return { value, loadedAt, failure: shown, isLoading: isBusy, reload, replace };
}

/** Calls `reload` after events that `changedBy` matches, with the delays of ReloadScheduler. */
function useEvents(changedBy: EventFilter | undefined, reload: () => void): ReloadScheduler {
  const [scheduler] = useState(() => new ReloadScheduler(reload));
  const filter = useRef(changedBy);
  filter.current = changedBy;
  const isFollowing = changedBy !== undefined;
  useEffect(() => {
    if (!isFollowing) return undefined;
    const schedule = () => scheduler.schedule();
    const stop = addEventFeedListener((event) => {
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
 * Reloads a value `everyMs` after the last response while the page is visible, and when the page becomes visible again.
 *
 * Never replaces an in-flight request. Otherwise, if a server needed longer than `everyMs` for a response, no request would ever complete.
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
