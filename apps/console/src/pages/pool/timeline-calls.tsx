import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Call, CallService } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { Pool } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { api } from "../../api/client";
import { type Loaded, useLoad } from "../../api/use-load";
import { ofKinds } from "../../events/event-filters";
import { countOf, countText } from "../../format/number-text";
import { FailureNotice } from "../../ui/notice";
import { Time } from "../../ui/time";
import { useDelayed } from "../../ui/use-delayed";
import type { TimeRange } from "./zoom-buttons";

/** More marks than this could not be told apart. */
const MAX_CALLS = 1000;
const ZOOM_DELAY_MS = 200;

/** The newest calls of a pool in a part of the time. */
interface PoolCalls {
  /** Newest first. */
  readonly calls: readonly Call[];
  /** Whether there are older ones in this part of the time. */
  readonly isCut: boolean;
}

/** Loads the calls of the shown time. Those of the former time stay until then. */
export function usePoolCalls({ accountToken, id }: Pool, range: TimeRange): Loaded<PoolCalls> {
  const shown = useDelayed(range, ZOOM_DELAY_MS);
  const load = async (signal: AbortSignal) => {
    const time = { from: timestampFromMs(shown.from), to: timestampFromMs(shown.to + 1) };
    const request = { accountId: accountToken, poolId: id, ...time, pageSize: MAX_CALLS };
    const { calls, nextPageToken } = await api(CallService).listCalls(request, { signal });
    return { calls, isCut: nextPageToken !== "" };
  };
  return useLoad(`calls ${id} ${shown.from} ${shown.to}`, load, { keepsOld: true, changedBy: ofKinds("call") });
}

/** Tells how many calls the timeline shows. */
export function CallCount({ of: { value, failure, isLoading } }: { readonly of: Loaded<PoolCalls> }) {
  if (failure !== undefined) return <FailureNotice failure={failure} title="Could not load the calls" />;
  return (
    <p class="timeline-count" role="status">
      {isLoading || value === undefined ? "Loading the calls of this time…" : <Count of={value} />}
    </p>
  );
}

function Count({ of: { calls, isCut } }: { readonly of: PoolCalls }) {
  if (!isCut) return <>{countOf(calls.length, "call")} in this time.</>;
  return (
    <>
      <strong>Only the newest {countText(calls.length)} calls of this time are shown</strong>, those since{" "}
      <Time value={calls.at(-1)?.startedAt} />. Zoom in to see the calls of a shorter time.
    </>
  );
}
