import { isDeepStrictEqual } from "node:util";
import {
  type CallEvidence,
  type CallRoute,
  callDurationSeconds,
  DomainError,
  mergeEvidence,
  progressOf,
} from "@calltrack/domain";
import { type Executor, isDatabaseUnavailable } from "@calltrack/postgres";
import type { Logger } from "pino";
import { findCallRoute } from "../../api/call-flows/call-route.js";
import {
  type CallName,
  type CallState,
  type EvidencedCall,
  findEvidencedCall,
  listOverdueCalls,
  MAX_CALL_MINUTES,
  replaceCallState,
} from "../../api/calls/call-evidence-repository.js";
import type { CallObserver } from "../../api/calls/call-metrics.js";
import type { CallRecorder } from "../../api/calls/call-recorder.js";
import { OUTCOMES, outcomeNameOf, STATUSES } from "../../api/calls/call-row.js";
import type { CallerHasher } from "../../api/calls/caller-hasher.js";
import type { NumberHolder } from "../../api/calls/number-holders.js";
import { NO_ACCOUNT } from "../../database/idempotency/request-key.js";
import type { Deadline } from "../deadline.js";
import type { Journal } from "../outage/journal.js";
import type { TelephonyMetrics } from "../telephony-metrics.js";
import type { PhoneReport } from "./phone-report.js";

/** Attempts to change a call that other reports change at the same time. */
const MAX_ATTEMPTS = 20;

/** Overdue calls that are listed at a time. */
const CHUNK = 100;

/** The parts of a recorder of reports. */
export interface ReportRecorderParts {
  readonly db: Executor;
  readonly recorder: CallRecorder;
  readonly keyOf: CallerHasher;
  readonly journal: Journal<PhoneReport>;
  readonly countCall: CallObserver;
  readonly metrics: Pick<TelephonyMetrics, "journaled">;
  readonly log: Logger;
}

/** Records what phone systems report, in the database or else in the journal. */
export class ReportRecorder {
  readonly #parts: ReportRecorderParts;

  constructor(parts: ReportRecorderParts) {
    this.#parts = parts;
  }

  /** Starts to record the reports of the journal in the background. */
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
   * Records a report. Resolves when the database or the journal has it, or at the deadline. Never rejects.
   *
   * @param route the route of the number when the call started, if the database has just told; undefined to look it up.
   */
  async record(report: PhoneReport, deadline: Deadline, route?: CallRoute): Promise<void> {
    try {
      if ((await deadline.within("recording", () => this.#apply(report, route))) === "applied") return;
    } catch (error) {
      if (!isDatabaseUnavailable(error)) this.#logFailure(report, error);
    }
    await this.keep(report, deadline);
  }

  /** Writes a report to the journal. Resolves when it is there, or at the deadline. Never rejects. */
  async keep(report: PhoneReport, deadline: Deadline): Promise<void> {
    this.#parts.metrics.journaled(report.phoneSystemId);
    await deadline.within("journal", () => this.#parts.journal.append(report)).catch(() => {});
  }

  /** Closes the calls that have no end in time. A later report replaces what the timer set. */
  async closeOverdue(): Promise<void> {
    for (let after = new Date(0); ; ) {
      const calls = await listOverdueCalls(this.#parts.db, after, CHUNK);
      for (const { account_id, id, started_at } of calls) {
        const endedAt = new Date(started_at.getTime() + MAX_CALL_MINUTES * 60_000);
        try {
          await this.#merge({ accountId: account_id, id }, { timer: { endedAt: endedAt.toISOString() } });
        } catch (error) {
          if (isDatabaseUnavailable(error)) throw error;
          this.#parts.log.error({ err: error, call_id: id }, "a call without an end in time could not be closed");
        }
        after = started_at;
      }
      if (calls.length < CHUNK) return;
    }
  }

  /**
   * Records a report in the database. Creates a call that is not recorded yet, if the report tells enough of it.
   *
   * @returns `later` if the call is not recorded yet and the report cannot create it.
   */
  async #apply(report: PhoneReport, route?: CallRoute): Promise<"applied" | "later"> {
    const { accountId, callId: id, call, trackingNumber, evidence } = report;
    const { db, log, countCall } = this.#parts;
    // A new call is probably not recorded yet, so that its first request takes one statement.
    const isKnown = route === undefined && accountId !== NO_ACCOUNT;
    if (isKnown && (await this.#merge({ accountId, id }, evidence))) return "applied";
    const current = route ?? (await findCallRoute(db, trackingNumber));
    if (current === undefined) {
      log.info({ call_id: id }, "a call to no tracking number was not recorded");
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
    const isMerged = await this.#merge({ accountId: holder.accountId, id }, evidence);
    return isMerged || call !== undefined ? "applied" : "later";
  }

  /** Returns the holder of a number when a call started. The last holder keeps calls that, by a wrong clock, started before the first. */
  async #holderOf({ trackingNumber, startedAt }: PhoneReport, current: CallRoute): Promise<NumberHolder> {
    const holder = await this.#parts.recorder.findHolder(trackingNumber, new Date(startedAt));
    return holder instanceof DomainError ? current : holder;
  }

  /** Merges what a report tells into a call. Returns false if the call is not recorded. */
  async #merge(name: CallName, reported: CallEvidence): Promise<boolean> {
    const { db, countCall } = this.#parts;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const before = await findEvidencedCall(db, name);
      if (before === undefined) return false;
      const evidence = mergeEvidence(before.evidence, reported);
      if (isDeepStrictEqual(evidence, before.evidence)) return true;
      const after = stateAfter(before, evidence);
      if (!(await replaceCallState(db, name, before.updated_at, after))) continue;
      const { outcome } = after;
      const trackerStatus = STATUSES[before.tracker_status];
      if (outcome !== before.outcome) countCall({ outcome: OUTCOMES[outcome], trackerStatus });
      return true;
    }
    throw new Error(`call ${name.id} kept changing`);
  }

  async #create(
    { callId: id, phoneSystemId, trackingNumber, startedAt: start, evidence }: PhoneReport,
    { providerCallId: callId, callerNumber, callerKey }: NonNullable<PhoneReport["call"]>,
    holder: NumberHolder,
    phoneSystemOfNumber: string | undefined,
  ) {
    const { recorder, keyOf } = this.#parts;
    const startedAt = new Date(start);
    const { basis, rejectReason, ...progress } = progressOf(startedAt, evidence);
    const call = {
      ...{ callId, trackingNumber, callerNumber, startedAt, isStartSent: false },
      ...{ answeredAt: undefined, endedAt: undefined, ...progress, recordingUrl: evidence.recording?.url },
    };
    const key = callerNumber === undefined ? callerKey : await keyOf(callerNumber);
    // A number that names a phone system belongs to that one, even if another one reports the call.
    const details = { id, phoneSystemId: phoneSystemOfNumber ?? phoneSystemId, evidence, basis, rejectReason };
    return recorder.recordReported(call, key, details, holder);
  }

  #logFailure({ callId, phoneSystemId }: PhoneReport, error: unknown): void {
    this.#parts.log.error({ err: error, call_id: callId, phone_system: phoneSystemId }, "a report of a call failed");
  }
}

/** Returns the state of a call with more evidence. */
function stateAfter(before: EvidencedCall, evidence: CallEvidence): CallState {
  const { recording, answer } = evidence;
  // A link that a person has set or removed is no longer that of the reports.
  const isOfPerson = before.recording_url !== (before.evidence.recording?.url ?? null);
  return {
    ...progressAfter(before, evidence),
    evidence,
    recording_url: isOfPerson ? before.recording_url : (recording?.url ?? null),
    recording_expires_at: isOfPerson ? before.recording_expires_at : timeOf(recording?.expiresAt),
    is_prompted: answer?.isPrompted ?? before.is_prompted,
    is_recorded: answer?.isRecorded ?? before.is_recorded,
  };
}

/**
 * Returns the progress of a call after more reports. Reports change neither times once the call has ended, unless the timer ended it, nor an
 * outcome that a person has set: it has no basis.
 */
function progressAfter(before: EvidencedCall, evidence: CallEvidence) {
  const { basis, ...after } = progressOf(before.started_at, evidence);
  const isOfPerson = before.outcome !== "in_progress" && before.outcome_basis === null;
  const known = before.outcome_basis === "timer" ? { answered_at: null, ended_at: null } : before;
  const isAnswered = isOfPerson ? known.answered_at !== null : after.answeredAt !== undefined;
  const endedAt = known.ended_at ?? after.endedAt;
  const answeredAt = isAnswered ? earlier(known.answered_at ?? after.answeredAt, endedAt) : undefined;
  return {
    answered_at: answeredAt ?? null,
    ended_at: endedAt ?? null,
    duration_seconds: callDurationSeconds({ answeredAt, endedAt }) ?? null,
    outcome: isOfPerson ? before.outcome : outcomeNameOf(after.outcome),
    outcome_basis: isOfPerson ? null : (basis ?? null),
    reject_reason: after.rejectReason ?? null,
  };
}

/** Returns a time, or one that it must not exceed. */
function earlier(time: Date | undefined, maximum: Date | undefined): Date | undefined {
  return time !== undefined && maximum !== undefined && maximum < time ? maximum : time;
}

function timeOf(text: string | undefined): Date | null {
  return text === undefined ? null : new Date(text);
}
