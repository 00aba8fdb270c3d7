import { DomainError } from "./domain-error.js";
import { FieldCheck } from "./field-check.js";
import { CallOutcome } from "./gen/calltracking/v1/call_pb.js";

/** How far a client's clock may be ahead of the server's clock. */
export const CLOCK_TOLERANCE_MS = 5 * 60 * 1000;

/** The times and outcome of a call, as far as they are known. */
export interface CallProgress {
  readonly startedAt: Date;
  /** Undefined if nobody has answered the call. */
  readonly answeredAt: Date | undefined;
  /** Undefined until the call has ended. */
  readonly endedAt: Date | undefined;
  readonly outcome: CallOutcome;
}

type CallTimes = Pick<CallProgress, "answeredAt" | "endedAt">;

/** New times or a new outcome for a call. A field that is undefined keeps its value. */
export interface CallProgressUpdate {
  readonly answeredAt: Date | undefined;
  readonly endedAt: Date | undefined;
  readonly outcome: CallOutcome | undefined;
}

/** Derives the outcome of a call from its times, for a request that states no outcome: `IN_PROGRESS`, `ANSWERED` or `MISSED`. */
export function deriveDefaultCallOutcome({ answeredAt, endedAt }: CallTimes): CallOutcome {
  if (endedAt === undefined) return CallOutcome.IN_PROGRESS;
  return answeredAt === undefined ? CallOutcome.MISSED : CallOutcome.ANSWERED;
}

/**
 * Returns the whole seconds from the answer to the end of a call; 0 if the call ended unanswered. Returns undefined if the call has not ended,
 * or if it is unknown whether or when it was answered.
 */
export function computeCallDurationSeconds({
  answeredAt,
  endedAt,
  outcome,
}: Omit<CallProgress, "startedAt">): number | undefined {
  if (endedAt === undefined) return undefined;
  if (answeredAt !== undefined) return Math.floor((endedAt.getTime() - answeredAt.getTime()) / 1000);
  return outcome === CallOutcome.UNKNOWN || outcome === CallOutcome.ANSWERED ? undefined : 0;
}

/** Reports a violation if a time in a request is more than `CLOCK_TOLERANCE_MS` in the future. */
export function rejectFutureTime(check: FieldCheck, field: string, time: Date | undefined, now: Date): void {
  if (time === undefined || time.getTime() <= now.getTime() + CLOCK_TOLERANCE_MS) return;
  check.report(field, "must not be in the future: correct the sender's clock");
}

/** Reports violations for times of a call that are in the future or in the wrong order, and for an outcome that contradicts the times. */
export function checkCallProgress(check: FieldCheck, progress: CallProgress, now: Date): void {
  const { startedAt, answeredAt, endedAt } = progress;
  rejectFutureTime(check, "answered_at", answeredAt, now);
  rejectFutureTime(check, "ended_at", endedAt, now);
  if (answeredAt !== undefined && answeredAt < startedAt) check.report("answered_at", "must not be before started_at");
  if (endedAt !== undefined && endedAt < startedAt) check.report("ended_at", "must not be before started_at");
  else if (endedAt !== undefined && answeredAt !== undefined && endedAt < answeredAt) {
    check.report("ended_at", "must not be before answered_at");
  }
  check.report("outcome", findOutcomeProblem(progress));
}

/** Returns the given progress if its times and outcome are consistent, and otherwise throws DomainError `FIELD_INVALID`. */
export function requireValidCallProgress(progress: CallProgress, now: Date): CallProgress {
  const check = new FieldCheck();
  checkCallProgress(check, progress, now);
  return check.done(progress);
}

/**
 * Returns the times and outcome of a call after an update. They can be inconsistent: check them with `requireValidCallProgress`.
 *
 * @param id the id of the call, for the error message.
 * @throws DomainError `CALL_ENDED` if the call has ended and the update would change its times.
 */
export function updateCallProgress(id: string, before: CallProgress, update: CallProgressUpdate): CallProgress {
  const times = {
    answeredAt: update.answeredAt ?? before.answeredAt,
    endedAt: update.endedAt ?? before.endedAt,
  };
  const isChanged = !hasTimes(before, times);
  if (before.endedAt !== undefined && isChanged) throw new DomainError("CALL_ENDED", { id });
  return { ...times, startedAt: before.startedAt, outcome: update.outcome ?? outcomeAfter(before, times, isChanged) };
}

/** Returns the outcome of a call after an update that states none. */
function outcomeAfter({ outcome }: CallProgress, times: CallTimes, isChanged: boolean): CallOutcome {
  if (outcome === CallOutcome.IN_PROGRESS) return deriveDefaultCallOutcome(times);
  // The outcome UNKNOWN stays unless the update adds a time. The call is over, even if the time of its end is unknown, so it is not in progress again.
  if (outcome !== CallOutcome.UNKNOWN || !isChanged) return outcome;
  return times.answeredAt === undefined ? CallOutcome.MISSED : CallOutcome.ANSWERED;
}

function hasTimes(before: CallProgress, { answeredAt, endedAt }: CallTimes): boolean {
  return before.answeredAt?.getTime() === answeredAt?.getTime() && before.endedAt?.getTime() === endedAt?.getTime();
}

/** The description of the violation if a request contains an outcome that does not exist. */
export const INVALID_OUTCOME_PROBLEM =
  "must be in_progress, answered, missed, busy, failed, voicemail, unknown or abandoned";

/** Checks whether an outcome fits the times. All outcomes but `in_progress`, `answered` and `unknown` require `ended_at`. */
function findOutcomeProblem({ outcome, answeredAt, endedAt }: CallProgress): string | undefined {
  switch (outcome) {
    case CallOutcome.IN_PROGRESS:
      return endedAt === undefined ? undefined : "must not be in_progress if ended_at is given";
    case CallOutcome.ANSWERED:
      return answeredAt === undefined ? "must not be answered if answered_at is missing: send answered_at" : undefined;
    case CallOutcome.VOICEMAIL:
      return endedAt === undefined ? "must be in_progress until ended_at is given" : undefined;
    case CallOutcome.UNKNOWN:
      return answeredAt === undefined ? undefined : "must be answered or voicemail if answered_at is given";
    case CallOutcome.MISSED:
    case CallOutcome.BUSY:
    case CallOutcome.FAILED:
    case CallOutcome.ABANDONED:
      if (answeredAt !== undefined) return "must be answered or voicemail if answered_at is given";
      return endedAt === undefined ? "must be in_progress or unknown until ended_at is given" : undefined;
    default:
      return INVALID_OUTCOME_PROBLEM;
  }
}
