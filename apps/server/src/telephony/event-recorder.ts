import { isDeepStrictEqual } from "node:util";
import {
  type CallEvent,
  type CallEvidence,
  type CallRoute,
  callDurationSeconds,
  DomainError,
  mergeEvent,
  type NewCall,
  progressOf,
} from "@calltrack/domain";
import { type Executor, isDatabaseUnavailable } from "@calltrack/postgres";
import type { Logger } from "pino";
import { findCallRoute } from "../api/call-flows/call-route.js";
import {
  type CallName,
  type CallState,
  type EvidencedCall,
  findEvidencedCall,
  listOverdueCalls,
  MAX_CALL_MINUTES,
  replaceCallState,
} from "../api/calls/call-evidence-repository.js";
import type { CallObserver } from "../api/calls/call-metrics.js";
import type { CallRecorder } from "../api/calls/call-recorder.js";
import { OUTCOMES, outcomeNameOf, STATUSES } from "../api/calls/call-row.js";
import type { CallerHasher } from "../api/calls/caller-hasher.js";
import type { NumberHolder } from "../api/calls/number-holders.js";
import { NO_ACCOUNT } from "../database/idempotency/request-key.js";
import { type CallReport, eventsOf, type ReportedCall } from "./call-report.js";
import type { Deadline } from "./deadline.js";
import type { Journal } from "./journal.js";
import type { TelephonyMetrics } from "./telephony-metrics.js";

/** Attempts to change a call that other reports change at the same time. */
const MAX_ATTEMPTS = 20;

/** Overdue calls that are listed at a time. */
const CHUNK = 100;

/** The parts of an event recorder. */
export interface EventRecorderParts {
  readonly db: Executor;
  readonly recorder: CallRecorder;
  readonly keyOf: CallerHasher;
  readonly journal: Journal<CallReport>;
  readonly countCall: CallObserver;
  readonly metrics: Pick<TelephonyMetrics, "journaled">;
  readonly log: Logger;
}

/** Records what phone systems report, in the database or else in the journal. */
export class EventRecorder {
  readonly #parts: EventRecorderParts;

  constructor(parts: EventRecorderParts) {
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
  async record(report: CallReport, deadline: Deadline, route?: CallRoute): Promise<void> {
    try {
      if ((await deadline.within("recording", () => this.#apply(report, route))) === "applied") return;
    } catch (error) {
      if (!isDatabaseUnavailable(error)) this.#logFailure(report, error);
    }
    await this.keep(report, deadline);
  }

  /** Writes a report to the journal. Resolves when it is there, or at the deadline. Never rejects. */
  async keep(report: CallReport, deadline: Deadline): Promise<void> {
    this.#parts.metrics.journaled(report.phoneSystemId);
    await deadline.within("journal", () => this.#parts.journal.append(report)).catch(() => {});
  }

  /** Closes the calls that have no end in time. A later report replaces what the timer set. */
  async closeOverdue(): Promise<void> {
    for (let after = new Date(0); ; ) {
      const calls = await listOverdueCalls(this.#parts.db, after, CHUNK);
      for (const { account_id, id, started_at } of calls) {
        const endedAt = new Date(started_at.getTime() + MAX_CALL_MINUTES * 60_000);
        await this.#merge({ accountId: account_id, id }, [{ kind: "timer", endedAt }]);
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
  async #apply(report: CallReport, route?: CallRoute): Promise<"applied" | "later"> {
    const { accountId, callId: id, call, trackingNumber } = report;
    const { db } = this.#parts;
    const events = eventsOf(report);
    // A new call is probably not recorded yet, so that its first request takes one statement.
    const isKnown = route === undefined && accountId !== NO_ACCOUNT;
    if (isKnown && (await this.#merge({ accountId, id }, events))) return "applied";
    const current = route ?? (await findCallRoute(db, trackingNumber));
    if (current === undefined) {
      this.#parts.log.info({ call_id: id }, "a call to no tracking number was not recorded");
      return "applied";
    }
    const holder = route ?? (await this.#holderOf(report, current));
    const name = { accountId: holder.accountId, id };
    if (call === undefined) return (await this.#merge(name, events)) ? "applied" : "later";
    // A number that names a phone system belongs to that one, even if another one reports the call.
    const phoneSystemId = current.phoneSystemId ?? report.phoneSystemId;
    const { isNew, response } = await this.#create({ ...report, phoneSystemId }, call, events, holder);
    if (isNew) this.#parts.countCall(response);
    else await this.#merge(name, events);
    return "applied";
  }

  /** Returns the holder of a number when a call started. The first holder keeps calls that, by a wrong clock, started earlier. */
  async #holderOf({ trackingNumber, startedAt }: CallReport, current: CallRoute): Promise<NumberHolder> {
    const holder = await this.#parts.recorder.findHolder(trackingNumber, new Date(startedAt));
    return holder instanceof DomainError ? current : holder;
  }

  /** Merges events into a call. Returns false if the call is not recorded. */
  async #merge(name: CallName, events: readonly CallEvent[]): Promise<boolean> {
    const { db, countCall } = this.#parts;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const before = await findEvidencedCall(db, name);
      if (before === undefined) return false;
      const after = stateAfter(before, events);
      if (after === undefined) return true;
      if (!(await replaceCallState(db, name, before.updated_at, after))) continue;
      const { outcome } = after;
      const trackerStatus = STATUSES[before.tracker_status];
      if (outcome !== before.outcome) countCall({ outcome: OUTCOMES[outcome], trackerStatus });
      return true;
    }
    throw new Error(`call ${name.id} kept changing`);
  }

  async #create(
    { callId: id, phoneSystemId, trackingNumber, startedAt: start }: CallReport,
    { providerCallId: callId, callerNumber, callerKey, done }: ReportedCall,
    events: readonly CallEvent[],
    holder: NumberHolder,
  ) {
    const { recorder, keyOf } = this.#parts;
    const startedAt = new Date(start);
    const evidence = events.reduce<CallEvidence>(mergeEvent, {});
    const { answeredAt, endedAt, outcome, basis, rejectReason } = progressOf(startedAt, evidence);
    const call: NewCall = {
      ...{ callId, trackingNumber, callerNumber, startedAt, isStartSent: false },
      ...{ answeredAt, endedAt, outcome, recordingUrl: evidence.recording?.url },
    };
    const key = callerNumber === undefined ? callerKey : await keyOf(callerNumber);
    return recorder.recordReported(call, key, { id, phoneSystemId, evidence, basis, rejectReason, done }, holder);
  }

  #logFailure({ callId, phoneSystemId }: CallReport, error: unknown): void {
    this.#parts.log.error({ err: error, call_id: callId, phone_system: phoneSystemId }, "a report of a call failed");
  }
}

/** Returns the state of a call after more events; undefined if nothing changes. */
function stateAfter(before: EvidencedCall, events: readonly CallEvent[]): CallState | undefined {
  const evidence: CallEvidence = JSON.parse(JSON.stringify(events.reduce(mergeEvent, before.evidence)));
  if (isDeepStrictEqual(evidence, before.evidence)) return undefined;
  const { recording } = evidence;
  const isNewRecording = !isDeepStrictEqual(recording, before.evidence.recording);
  return {
    ...progressAfter(before, evidence),
    evidence,
    recording_url: isNewRecording && recording !== undefined ? recording.url : before.recording_url,
    recording_expires_at: isNewRecording ? timeOf(recording?.expiresAt) : before.recording_expires_at,
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
