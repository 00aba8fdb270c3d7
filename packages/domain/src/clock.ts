import { type Duration, durationMs } from "@bufbuild/protobuf/wkt";
import { FieldCheck } from "./field-check.js";
import type { AdvanceClockRequest } from "./gen/calltracking/v1/clock_pb.js";

const MAX_ADVANCE_MS = 366 * 24 * 60 * 60 * 1000;

/** Returns the duration by which to advance the clock, in milliseconds. Throws DomainError `FIELD_INVALID`. */
export function parseAdvanceClockRequest(request: AdvanceClockRequest): { readonly byMs: number } {
  const check = new FieldCheck();
  return check.done({
    byMs: Math.round(durationMs(check.required("by", request.by, findDistanceProblem) ?? ZERO_DURATION)),
  });
}

const ZERO_DURATION = { seconds: 0n, nanos: 0 } as Duration;

function findDistanceProblem(by: Duration): string | undefined {
  const ms = durationMs(by);
  return ms >= 1 && ms <= MAX_ADVANCE_MS ? undefined : "must be between 1 millisecond and 366 days";
}
