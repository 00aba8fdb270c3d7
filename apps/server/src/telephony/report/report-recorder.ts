import { isDeepStrictEqual } from "node:util";
import {
  type CallEvidence,
  type CallRoute,
  computeCallDurationSeconds,
  DomainError,
  deriveCallProgress,
  type EventType,
  findEarliestReportedTime,
  mergeCallEvidence,
} from "@calltrack/domain";
import { CallOutcome } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { type Executor, isDatabaseUnavailable } from "@calltrack/postgres";
import type { Logger } from "pino";
import { findCallRoute } from "../../api/call-flows/call-route.js";
import {
  type CallKey,
  type CallWithEvidence,
  findCallWithEvidence,
  listOverdueCalls,
  MAX_CALL_MINUTES,
  type ReportedCallColumns,
  replaceReportedCallColumns,
} from "../../api/calls/call-evidence-repository.js";
import type { CallCounter } from "../../api/calls/call-metrics.js";
import type { CallRecorder } from "../../api/calls/call-recorder.js";
import { parseOutcomeColumns, parseTrackerStatusColumn, toOutcomeColumns } from "../../api/calls/call-row.js";
import type { CallerHasher } from "../../api/calls/caller-hasher.js";
import type { NumberHolder } from "../../api/calls/number-holders.js";
import { ABSENT_ACCOUNT_ID } from "../../database/idempotency/idempotency-key.js";
import { LogLineLimit } from "../../observability/log-line-limit.js";
import type { Journal } from "../outage/journal.js";
import type { TelephonyMetrics } from "../telephony-metrics.js";
import type { WebhookDeadline } from "../webhook-deadline.js";
import type { PhoneSystemReport } from "./phone-system-report.js";

/** The maximum number of attempts to update a call. An attempt fails if a concurrent report updates the call first. */
const MAX_ATTEMPTS = 20;

const CHUNK = 100;

/** Limits log lines, because anyone can call an unknown number thousands of times. */
const UNKNOWN_LINES = new LogLineLimit(10);

/** Limits log lines, because every report of a busy phone system has one while the disk is slow. */
const UNSTORED_LINES = new LogLineLimit(10);

export interface ReportRecorderDependencies {
  readonly db: Executor;
  readonly recorder: CallRecorder;
  readonly keyOf: CallerHasher;
  readonly journal: Journal<PhoneSystemReport>;
  readonly countCall: CallCounter;
  readonly metrics: Pick<TelephonyMetrics, "journaled">;
  readonly log: Logger;
}

/** Records the reports from phone systems in the database or, if it is unavailable, in the journal. */
export class ReportRecorder {
  readonly #parts: ReportRecorderDependencies;

  constructor(parts: ReportRecorderDependencies) {
    this.#parts = parts;
  }

  /** Starts to record the reports from the journal in the background. */
  start(): void {
    this.#parts.journal.start(async (report) => {
      try {
        return await this.#apply(report);
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
        this.#logFailure(report, error);
        return "later";
      }
    });
  }

  /**
   * Records a report. Resolves to whether the report is in the database or on the disk, at the latest at the deadline. Otherwise, the report is in
   * memory, and is recorded later. Never rejects.
   *
   * @param route the route of the number at the start of the call, if it was just read from the database; undefined to look it up.
   */
  async record(report: PhoneSystemReport, deadline: WebhookDeadline, route?: CallRoute): Promise<boolean> {
    try {
      if ((await deadline.within("recording", () => this.#apply(report, route))) === "applied") return true;
    } catch (error) {
      if (!isDatabaseUnavailable(error)) this.#logFailure(report, error);
    }
    return this.keep(report, deadline);
  }

  /** Writes a report to the journal. Resolves to whether the report is on the disk, at the latest at the deadline. Never rejects. */
  async keep(report: PhoneSystemReport, deadline: WebhookDeadline): Promise<boolean> {
    const { journal, metrics, log } = this.#parts;
    metrics.journaled(report.phoneSystemId);
    const isStored = await deadline.within("journal", () => journal.append(report)).catch(() => false);
    if (!isStored) {
      const level = UNSTORED_LINES.levelOf(log, "unstored", "warn");
      log[level](
        { call_id: report.callId },
        "a report about a call is only in memory: it is lost if this process crashes",
      );
    }
    return isStored;
  }

  /** Closes the calls whose end was not reported in time. A later report replaces the assumed end. */
  async closeOverdue(): Promise<void> {
    for (let after = new Date(0); ; ) {
      const calls = await listOverdueCalls(this.#parts.db, after, CHUNK);
      for (const { account_id, id, started_at } of calls) {
        const endedAt = new Date(started_at.getTime() + MAX_CALL_MINUTES * 60_000);
        try {
          await this.#merge({ accountId: account_id, id }, { timer: { endedAt: endedAt.toISOString() } });
        } catch (error) {
          if (isDatabaseUnavailable(error)) throw error;
          this.#parts.log.error(
            { err: error, call_id: id },
            "a call whose end was not reported in time could not be closed",
          );
        }
        after = started_at;
      }
      if (calls.length < CHUNK) return;
    }
  }

  /**
   * Records a report in the database. Creates the call if it is not recorded yet and the report has the facts for it.
   *
   * @returns `later` if the call is not recorded yet and the report cannot create it.
   */
  async #apply(report: PhoneSystemReport, route?: CallRoute): Promise<"applied" | "later"> {
    const { accountId, callId: id, call, trackingNumber, evidence } = report;
    const { db, log, countCall } = this.#parts;
    // Only the first request about a call has a `route`. The call is probably not recorded yet, so creating it at once saves a statement.
    const isKnown = route === undefined && accountId !== ABSENT_ACCOUNT_ID;
    const startedAt = startOf(report);
    if (isKnown && (await this.#merge({ accountId, id }, evidence, startedAt))) return "applied";
    const current = route ?? (await findCallRoute(db, trackingNumber));
    if (current === undefined) {
      const level = UNKNOWN_LINES.levelOf(log, "unknown", "info");
      log[level]({ call_id: id }, "a call was not recorded, because the dialed number is not a tracking number");
      return "applied";
    }
    const holder = route ?? (await this.#holderOf(report, current));
    if (call !== undefined) {
      const { isNew, response } = await this.#create(report, call, holder, current.phoneSystemId);
      if (isNew) {
        countCall(response);
        return "applied";
      }
    }
    const isMerged = await this.#merge({ accountId: holder.accountId, id }, evidence, startedAt);
    return isMerged || call !== undefined ? "applied" : "later";
  }

  /** Returns the holder of a number at the start of a call; the current holder if a wrong clock reports a start before the first holder. */
  async #holderOf(report: PhoneSystemReport, current: CallRoute): Promise<NumberHolder> {
    const holder = await this.#parts.recorder.findHolder(report.trackingNumber, startOf(report));
    return holder instanceof DomainError ? current : holder;
  }

  /**
   * Merges reported evidence into a call. Returns false if the call is not recorded.
   *
   * @param start the latest time at which the call can have started according to the report; undefined if the report does not say.
   */
  async #merge(key: CallKey, reported: CallEvidence, start?: Date): Promise<boolean> {
    const { db, countCall } = this.#parts;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const before = await findCallWithEvidence(db, key);
      if (before === undefined) return false;
      const evidence = mergeCallEvidence(before.evidence, reported);
      const after = stateAfter(before, evidence, earlier(before.started_at, start));
      const { tracker_status: _, updated_at: __, ...state } = before;
      if (isDeepStrictEqual(after, state)) return true;
      if (!(await replaceReportedCallColumns(db, key, before.updated_at, after, eventTypeOf(before, after)))) continue;
      const outcome = parseOutcomeColumns(after);
      const trackerStatus = parseTrackerStatusColumn(before);
      if (outcome !== parseOutcomeColumns(before)) countCall({ outcome, trackerStatus });
      return true;
    }
    throw new Error(`call ${key.id} could not be updated: it changed during each of ${MAX_ATTEMPTS} attempts`);
  }

  async #create(
    report: PhoneSystemReport,
    { providerCallId: callId, callerNumber, callerKey }: NonNullable<PhoneSystemReport["call"]>,
    holder: NumberHolder,
    phoneSystemOfNumber: string | undefined,
  ) {
    const { recorder, keyOf } = this.#parts;
    const { callId: id, phoneSystemId, trackingNumber, evidence } = report;
    const startedAt = startOf(report);
    const { durationSeconds, basis, rejectReason, answeredBy, ...progress } = deriveCallProgress(startedAt, evidence);
    const call = {
      ...{ callId, trackingNumber, callerNumber, startedAt, isStartSent: false },
      ...{ answeredAt: undefined, endedAt: undefined, ...progress, recordingUrl: evidence.recording?.url },
    };
    const key = callerNumber === undefined ? callerKey : await keyOf(callerNumber);
    // If the number is assigned to a phone system, its calls belong to that phone system, even if another one reports them.
    const details = {
      ...{ id, phoneSystemId: phoneSystemOfNumber ?? phoneSystemId, evidence },
      ...{ durationSeconds, basis, rejectReason, answeredBy },
    };
    return recorder.recordReported(call, key, details, holder);
  }

  #logFailure({ callId, phoneSystemId }: PhoneSystemReport, error: unknown): void {
    this.#parts.log.error(
      { err: error, call_id: callId, phone_system: phoneSystemId },
      "a report about a call could not be recorded",
    );
  }
}

function stateAfter(before: CallWithEvidence, evidence: CallEvidence, startedAt: Date): ReportedCallColumns {
  const { recording, answer } = evidence;
  // If the link to the recording differs from the reported link, a person has set or removed it.
  const isOfPerson = before.recording_url !== (before.evidence.recording?.url ?? null);
  return {
    ...progressAfter(before, evidence, startedAt),
    started_at: startedAt,
    evidence,
    recording_url: isOfPerson ? before.recording_url : (recording?.url ?? null),
    recording_expires_at: isOfPerson ? before.recording_expires_at : timeOf(recording?.expiresAt),
    is_prompted: answer?.isPrompted ?? before.is_prompted,
    is_recorded: answer?.isRecorded ?? before.is_recorded,
    caller_attestation: evidence.callerAttestation ?? null,
  };
}

/**
 * Returns the progress of a call according to all its reports, in whatever order they arrived. An outcome that a person has set has no basis. Reports
 * change neither such an outcome nor the times of its call, except that they add missing times. A call for which a person has set only the time of
 * the answer is answered when it is over.
 */
function progressAfter(before: CallWithEvidence, evidence: CallEvidence, startedAt: Date) {
  const { basis, outcome, rejectReason, answeredBy, ...after } = deriveCallProgress(startedAt, evidence);
  const [reject_reason, answered_by] = [rejectReason ?? null, answeredBy ?? null];
  const isRunning = before.outcome === "in_progress";
  if (before.outcome_basis !== null || (isRunning && !isAnsweredByPerson(before))) {
    return {
      answered_at: after.answeredAt ?? null,
      ended_at: after.endedAt ?? null,
      duration_seconds: after.durationSeconds ?? null,
      ...toOutcomeColumns(outcome),
      ...{ outcome_basis: basis ?? null, reject_reason, answered_by },
    };
  }
  const { outcome: name, outcome_detail, answered_at } = before;
  const hasEnded = isRunning && outcome !== CallOutcome.IN_PROGRESS;
  const columns = hasEnded ? toOutcomeColumns(CallOutcome.ANSWERED) : { outcome: name, outcome_detail };
  const endedAt = before.ended_at ?? after.endedAt;
  const answeredAt = answered_at === null || endedAt === undefined ? answered_at : earlier(answered_at, endedAt);
  const times = { answeredAt: answeredAt ?? undefined, endedAt };
  return {
    answered_at: answeredAt,
    ended_at: endedAt ?? null,
    duration_seconds: computeCallDurationSeconds({ ...times, outcome: parseOutcomeColumns(columns) }) ?? null,
    ...{ ...columns, outcome_basis: null, reject_reason },
    answered_by: columns.outcome === "answered" || columns.outcome === "in_progress" ? answered_by : null,
  };
}

/** Whether a person has set the time of the answer: it differs from the time that follows from the reports. */
function isAnsweredByPerson({ started_at, evidence, answered_at }: CallWithEvidence): boolean {
  return (
    answered_at !== null && answered_at.getTime() !== deriveCallProgress(started_at, evidence).answeredAt?.getTime()
  );
}

/** Returns the latest time at which a reported call can have started. */
function startOf({ startedAt, evidence }: PhoneSystemReport): Date {
  return earlier(new Date(startedAt), findEarliestReportedTime(evidence));
}

function earlier(time: Date, other: Date | undefined): Date {
  return other !== undefined && other < time ? other : time;
}

function timeOf(text: string | undefined): Date | null {
  return text === undefined ? null : new Date(text);
}

/**
 * Returns the type of the event for a change of a call. If the timer closes the call, the type is `call.updated`, because nobody has reported the
 * end.
 */
function eventTypeOf(before: ReportedCallColumns, after: ReportedCallColumns): EventType {
  const hasEnded = before.outcome === "in_progress" && after.outcome !== "in_progress";
  if (hasEnded && after.outcome_basis !== "timer") return "call.ended";
  return before.answered_at === null && after.answered_at !== null ? "call.answered" : "call.updated";
}
