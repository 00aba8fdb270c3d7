import { type Duration, durationMs } from "@bufbuild/protobuf/wkt";
import { FieldCheck } from "./field-check.js";
import type { AdvanceClockRequest } from "./gen/calltracking/v1/clock_pb.js";

const FARTHEST_MS = 366 * 24 * 60 * 60 * 1000;

/**
 * How far to move the clock, in milliseconds.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseAdvanceClock(request: AdvanceClockRequest): { readonly byMs: number } {
  const check = new FieldCheck();
  return check.done({ byMs: Math.round(durationMs(check.required("by", request.by, distanceProblem) ?? NOTHING)) });
}

const NOTHING = { seconds: 0n, nanos: 0 } as Duration;

function distanceProblem(by: Duration): string | undefined {
  const ms = durationMs(by);
  return ms >= 1 && ms <= FARTHEST_MS ? undefined : "must be at least a millisecond and at most 366 days";
}
