import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Call, CallService } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { Pool } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { api } from "../../api/client";
import { type Loaded, useLoad } from "../../api/use-load";
import { eventsAbout } from "../../events/event-filters";
import { countOf, countText } from "../../format/number-text";
import { FailureNotice } from "../../ui/notice";
import { Time } from "../../ui/time";
import { useDelayed } from "../../ui/use-delayed";
import type { TimeRange } from "./zoom-buttons";

/** More marks than this would be indistinguishable. */
const MAX_CALLS = 1000;
const ZOOM_DELAY_MS = 200;

/** The newest calls to a pool in the period that the timeline shows. */
interface PoolCalls {
  /** Newest first. */
  readonly calls: readonly Call[];
  /** Whether the period has older calls too. */
  readonly isCut: boolean;
}

/** Loads the calls in the period that the timeline shows. Until they arrive, the calls from the former period stay. */
export function usePoolCalls({ accountToken, id }: Pool, range: TimeRange): Loaded<PoolCalls> {
  const shown = useDelayed(range, ZOOM_DELAY_MS);
  const load = async (signal: AbortSignal) => {
    const time = { from: timestampFromMs(shown.from), to: timestampFromMs(shown.to + 1) };
    const request = { accountId: accountToken, poolId: id, ...time, pageSize: MAX_CALLS };
    const { calls, nextPageToken } = await api(CallService).listCalls(request, { signal });
    return { calls, isCut: nextPageToken !== "" };
  };
  return useLoad(`calls ${id} ${shown.from} ${shown.to}`, load, { keepsOld: true, changedBy: eventsAbout("call") });
}

export function CallCount({ of: { value, failure, isLoading } }: { readonly of: Loaded<PoolCalls> }) {
  if (failure !== undefined) return <FailureNotice failure={failure} title="Could not load the calls" />;
  return (
    <p class="timeline-count" role="status">
      {isLoading || value === undefined ? "Loading the calls in this period…" : <Count of={value} />}
    </p>
  );
}

function Count({ of: { calls, isCut } }: { readonly of: PoolCalls }) {
  if (!isCut) return <>{countOf(calls.length, "call")} in this period.</>;
  return (
    <>
      <strong>Only the newest {countText(calls.length)} calls in this period are shown</strong>, those since{" "}
      <Time value={calls.at(-1)?.startedAt} />. Zoom in to see all calls in a shorter period.
    </>
  );
}
