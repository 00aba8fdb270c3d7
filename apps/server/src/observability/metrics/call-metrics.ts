import { type Call, CallOutcome, TrackerStatus } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { Counter, type Registry } from "prom-client";

/** Takes note of calls that were recorded, and of new outcomes. */
export interface CallObserver {
  observe(call: Pick<Call, "outcome" | "trackerStatus">): void;
}

/** Registers the metric of calls, and returns what takes note of them. Its labels tell nothing of who called or was called. */
export function registerCallMetrics(registry: Registry): CallObserver {
  const calls = new Counter({
    name: "calltrack_calls_total",
    help: "Calls that this server recorded, by outcome and by what their call tracker was when they rang. A call counts again when it gets another outcome.",
    labelNames: ["outcome", "tracker_status"] as const,
    registers: [registry],
  });
  return {
    observe({ outcome, trackerStatus }) {
      calls.inc({
        outcome: CallOutcome[outcome].toLowerCase(),
        tracker_status: TrackerStatus[trackerStatus].toLowerCase(),
      });
    },
  };
}
