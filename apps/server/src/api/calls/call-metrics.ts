import { type Call, CallOutcome, TrackerStatus } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { Counter, type Registry } from "prom-client";
import { getStoredEnumName } from "../../database/stored-enum.js";

/** Counts a recorded call or a changed outcome. Ignores imported calls, because metrics describe the present. */
export type CallCounter = (call: Pick<Call, "outcome" | "trackerStatus">) => void;

/** Registers the counter of calls. No label identifies a caller or a called number. */
export function registerCallMetrics(registry: Registry): CallCounter {
  const calls = new Counter({
    name: "calltrack_calls_total",
    help: "Calls that this server recorded, by outcome and by the status of the call tracker at the start of the call. A call is counted again when its outcome changes.",
    labelNames: ["outcome", "tracker_status"] as const,
    registers: [registry],
  });
  return ({ outcome, trackerStatus }) => {
    if (trackerStatus === undefined) return;
    calls.inc({
      outcome: getStoredEnumName(CallOutcome, outcome),
      tracker_status: getStoredEnumName(TrackerStatus, trackerStatus),
    });
  };
}
