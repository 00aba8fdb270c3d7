import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Call, CallService } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { Pool } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { createApiClient } from "../../api/client";
import { type LoadedValue, useLoad } from "../../api/use-load";
import { createResourceKindEventFilter } from "../../events/event-filters";
import { formatCount, formatCountWithNoun } from "../../format/number-text";
import { LocalTime } from "../../ui/local-time";
import { FailureNotice } from "../../ui/notice";
import { useDelayedValue } from "../../ui/use-delayed-value";
import type { TimeRange } from "./zoom-buttons";

/** Maximum number of calls in the chart. More marks would overlap. */
const MAX_CALLS = 1000;
const ZOOM_DELAY_MS = 200;

/** The newest calls to a pool in the period that the timeline shows. */
interface PoolCalls {
  /** Newest first. */
  readonly calls: readonly Call[];
  /** Whether the period has older calls that were not loaded. */
  readonly isCut: boolean;
}

/** Loads the calls in the period that the timeline shows. Until they arrive, the calls from the previous period stay visible. */
export function usePoolCalls({ accountToken, id }: Pool, range: TimeRange): LoadedValue<PoolCalls> {
  const shown = useDelayedValue(range, ZOOM_DELAY_MS);
  const load = async (signal: AbortSignal) => {
    const time = { from: timestampFromMs(shown.from), to: timestampFromMs(shown.to + 1) };
    const request = { accountId: accountToken, poolId: id, ...time, pageSize: MAX_CALLS };
    const { calls, nextPageToken } = await createApiClient(CallService).listCalls(request, { signal });
    return { calls, isCut: nextPageToken !== "" };
  };
  return useLoad(`calls ${id} ${shown.from} ${shown.to}`, load, {
    keepsOld: true,
    changedBy: createResourceKindEventFilter("call"),
  });
}

export function TimelineCallCount({ of: { value, failure, isLoading } }: { readonly of: LoadedValue<PoolCalls> }) {
  if (failure !== undefined) return <FailureNotice failure={failure} title="Could not load the calls" />;
  return (
    <p class="timeline-count" role="status">
      {isLoading || value === undefined ? "Loading the calls in this period…" : <Count of={value} />}
    </p>
  );
}

function Count({ of: { calls, isCut } }: { readonly of: PoolCalls }) {
  if (!isCut) return <>{formatCountWithNoun(calls.length, "call")} in this period.</>;
  return (
    <>
      <strong>Only the newest {formatCount(calls.length)} calls in this period are shown</strong>, those since{" "}
      <LocalTime value={calls.at(-1)?.startedAt} />. Zoom in to see all calls in a shorter period.
    </>
  );
}
