import { parseAdvanceClockRequest } from "@calltrack/domain";
import { ClockService } from "@calltrack/domain/gen/calltracking/v1/clock_pb";
import { declareMethodRows } from "../methods/method-row.js";

export const CLOCK_METHODS = declareMethodRows(ClockService, {
  getClock: { access: { scope: "read", reach: "own" }, parse: () => undefined },
  advanceClock: { access: { scope: "admin", reach: "service" }, audits: "clock", parse: parseAdvanceClockRequest },
});
