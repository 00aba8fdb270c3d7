import { DomainError } from "./domain-error.js";
import { FieldCheck } from "./field-check.js";
import { CallOutcome } from "./gen/calltracking/v1/call_pb.js";

/** How far a client's clock may be ahead of the server's clock. */
export const CLOCK_TOLERANCE_MS = 5 * 60 * 1000;

/** The times and outcome of a call so far. */
export interface CallProgress {
  readonly startedAt: Date;
  /** Undefined if the call has not been answered. */
  readonly answeredAt: Date | undefined;
  /** Undefined until the call has ended. */
  readonly endedAt: Date | undefined;
  readonly outcome: CallOutcome;
}

/** New times or a new outcome for a call. Undefined fields keep their values. */
export interface CallProgressUpdate {
  readonly answeredAt: Date | undefined;
  readonly endedAt: Date | undefined;
  readonly outcome: CallOutcome | undefined;
}

/** Returns the outcome of a call for which a request states none: `IN_PROGRESS`, `ANSWERED` or `MISSED`. */
export function defaultOutcome({ answeredAt, endedAt }: Pick<CallProgress, "answeredAt" | "endedAt">): CallOutcome {
  if (endedAt === undefined) return CallOutcome.IN_PROGRESS;
  return answeredAt === undefined ? CallOutcome.MISSED : CallOutcome.ANSWERED;
}

/**
 * Returns the whole seconds from answer to end, or 0 if the call ended unanswered. Undefined if it has not ended, and if it is unknown
 * whether or when it was answered.
 */
export function callDurationSeconds({
  answeredAt,
  endedAt,
  outcome,
}: Omit<CallProgress, "startedAt">): number | undefined {
  if (endedAt === undefined) return undefined;
  if (answeredAt !== undefined) return Math.floor((endedAt.getTime() - answeredAt.getTime()) / 1000);
  return outcome === CallOutcome.UNKNOWN || outcome === CallOutcome.ANSWERED ? undefined : 0;
}

/** Reports a violation if the time is in the future by more than `CLOCK_TOLERANCE_MS`. */
export function rejectFutureTime(check: FieldCheck, field: string, time: Date | undefined, now: Date): void {
  if (time === undefined || time.getTime() <= now.getTime() + CLOCK_TOLERANCE_MS) return;
  check.report(field, "must not be in the future: correct the sender's clock");
}

/** Reports violations for times in the wrong order or in the future, and for an outcome that contradicts the times. */
export function checkProgress(check: FieldCheck, progress: CallProgress, now: Date): void {
  const { startedAt, answeredAt, endedAt } = progress;
  rejectFutureTime(check, "answered_at", answeredAt, now);
  rejectFutureTime(check, "ended_at", endedAt, now);
  if (answeredAt !== undefined && answeredAt < startedAt) check.report("answered_at", "must not be before started_at");
  if (endedAt !== undefined && endedAt < startedAt) check.report("ended_at", "must not be before started_at");
  else if (endedAt !== undefined && answeredAt !== undefined && endedAt < answeredAt) {
    check.report("ended_at", "must not be before answered_at");
  }
  check.report("outcome", outcomeProblem(progress));
}

/** Returns the given progress. Requires that its times and outcome are consistent. Throws DomainError `FIELD_INVALID`. */
export function requireValidProgress(progress: CallProgress, now: Date): CallProgress {
  const check = new FieldCheck();
  checkProgress(check, progress, now);
  return check.done(progress);
}

/**
 * Returns the progress of a call after an update. It may be inconsistent: check it with `requireValidProgress`.
 *
 * @param id the call's id, for the error message.
 * @throws DomainError `CALL_ENDED` if the call has ended and the update would change its times.
 */
export function updateProgress(id: string, before: CallProgress, update: CallProgressUpdate): CallProgress {
  const times = {
    answeredAt: update.answeredAt ?? before.answeredAt,
    endedAt: update.endedAt ?? before.endedAt,
  };
  const isChanged = !hasTimes(before, times);
  if (before.endedAt !== undefined && isChanged) throw new DomainError("CALL_ENDED", { id });
  // The outcome of such a call is unknown only because nobody stated its times, or because the timer ended it.
  const isOpen = before.outcome === CallOutcome.IN_PROGRESS || (before.outcome === CallOutcome.UNKNOWN && isChanged);
  const kept = isOpen ? defaultOutcome(times) : before.outcome;
  return { ...times, startedAt: before.startedAt, outcome: update.outcome ?? kept };
}

function hasTimes(
  before: CallProgress,
  { answeredAt, endedAt }: Pick<CallProgress, "answeredAt" | "endedAt">,
): boolean {
  return before.answeredAt?.getTime() === answeredAt?.getTime() && before.endedAt?.getTime() === endedAt?.getTime();
}

/** The description of the violation for an unknown outcome. */
export const UNKNOWN_OUTCOME = "must be in_progress, answered, missed, busy, failed, voicemail, unknown or abandoned";

/** Checks an outcome against the times. `in_progress`, `answered` and `unknown` need no end; all other outcomes do. */
function outcomeProblem({ outcome, answeredAt, endedAt }: CallProgress): string | undefined {
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
      return UNKNOWN_OUTCOME;
  }
}
