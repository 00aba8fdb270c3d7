import { DomainError } from "./domain-error.js";
import { FieldCheck } from "./field-check.js";
import { CallOutcome } from "./gen/calltracking/v1/call_pb.js";

/** How far ahead of the server's clock the clock of a switch may be. */
const CLOCK_TOLERANCE_MS = 5 * 60 * 1000;

/** How far a call has come. */
export interface CallProgress {
  readonly startedAt: Date;
  /** Undefined if it was not answered, or not yet. */
  readonly answeredAt: Date | undefined;
  /** Undefined until it has ended. */
  readonly endedAt: Date | undefined;
  readonly outcome: CallOutcome;
}

/** Facts that become known after a call rang. Undefined ones stay as they are. */
export interface CallUpdate {
  readonly answeredAt: Date | undefined;
  readonly endedAt: Date | undefined;
  readonly outcome: CallOutcome | undefined;
}

/** The outcome of a call whose switch told none: `IN_PROGRESS` until it has ended. */
export function defaultOutcome({ answeredAt, endedAt }: Pick<CallProgress, "answeredAt" | "endedAt">): CallOutcome {
  if (endedAt === undefined) return CallOutcome.IN_PROGRESS;
  return answeredAt === undefined ? CallOutcome.MISSED : CallOutcome.ANSWERED;
}

/** The whole seconds from the answer to the end, 0 if it ended unanswered, or undefined until it has ended. */
export function callDurationSeconds({
  answeredAt,
  endedAt,
}: Pick<CallProgress, "answeredAt" | "endedAt">): number | undefined {
  if (endedAt === undefined) return undefined;
  return answeredAt === undefined ? 0 : Math.floor((endedAt.getTime() - answeredAt.getTime()) / 1000);
}

/** Reports a time that is more than five minutes ahead. */
export function reportFuture(check: FieldCheck, field: string, time: Date | undefined, now: Date): void {
  if (time === undefined || time.getTime() <= now.getTime() + CLOCK_TOLERANCE_MS) return;
  check.report(field, "must not be in the future: correct the clock of the sender");
}

/** Reports times in the wrong order or in the future, and an outcome that contradicts the times. */
export function reportProgress(check: FieldCheck, progress: CallProgress, now: Date): void {
  const { startedAt, answeredAt, endedAt } = progress;
  reportFuture(check, "answered_at", answeredAt, now);
  reportFuture(check, "ended_at", endedAt, now);
  if (answeredAt !== undefined && answeredAt < startedAt) check.report("answered_at", "must not be before started_at");
  if (endedAt !== undefined && endedAt < startedAt) check.report("ended_at", "must not be before started_at");
  else if (endedAt !== undefined && answeredAt !== undefined && endedAt < answeredAt) {
    check.report("ended_at", "must not be before answered_at");
  }
  check.report("outcome", outcomeProblem(progress));
}

/**
 * A call whose times and outcome are in order.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function requireProgress(progress: CallProgress, now: Date): CallProgress {
  const check = new FieldCheck();
  reportProgress(check, progress, now);
  return check.done(progress);
}

/**
 * The call as an update leaves it.
 *
 * @param id that of the call, for the error.
 * @throws DomainError `CALL_ENDED` if the call has ended with other times
 */
export function updateProgress(id: string, before: CallProgress, update: CallUpdate): CallProgress {
  const times = {
    answeredAt: update.answeredAt ?? before.answeredAt,
    endedAt: update.endedAt ?? before.endedAt,
  };
  if (before.endedAt !== undefined && !hasTimes(before, times)) throw new DomainError("CALL_ENDED", { id });
  const kept = before.outcome === CallOutcome.IN_PROGRESS ? defaultOutcome(times) : before.outcome;
  return { ...times, startedAt: before.startedAt, outcome: update.outcome ?? kept };
}

function hasTimes(
  before: CallProgress,
  { answeredAt, endedAt }: Pick<CallProgress, "answeredAt" | "endedAt">,
): boolean {
  return before.answeredAt?.getTime() === answeredAt?.getTime() && before.endedAt?.getTime() === endedAt?.getTime();
}

/** The rule of an outcome with the times. An answered call may be in progress; all other outcomes but `in_progress` need an end. */
function outcomeProblem({ outcome, answeredAt, endedAt }: CallProgress): string | undefined {
  switch (outcome) {
    case CallOutcome.IN_PROGRESS:
      return endedAt === undefined ? undefined : "must not be in_progress if ended_at is given";
    case CallOutcome.ANSWERED:
      return answeredAt === undefined ? "must not be answered without answered_at" : undefined;
    case CallOutcome.VOICEMAIL:
      return endedAt === undefined ? "must be in_progress until ended_at is given" : undefined;
    case CallOutcome.MISSED:
    case CallOutcome.BUSY:
    case CallOutcome.FAILED:
      if (answeredAt !== undefined) return "must be answered or voicemail if answered_at is given";
      return endedAt === undefined ? "must be in_progress until ended_at is given" : undefined;
    default:
      return "must be in_progress, answered, missed, busy, failed or voicemail";
  }
}
