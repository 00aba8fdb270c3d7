import type { CallEvent } from "@calltrack/domain";
import type { JournalEntry } from "./journal.js";

/** A report of a phone system about a call. All its values can be written as JSON. */
export interface CallReport extends JournalEntry {
  /** The phone system that reported it. */
  readonly phoneSystemId: string;
  /** The account of the call, as far as it is known; `NO_ACCOUNT` if it is not. */
  readonly accountId: number;
  /** In E.164 format. */
  readonly trackingNumber: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** The facts to create a call with that is not recorded yet; undefined if the report does not tell them. */
  readonly call: ReportedCall | undefined;
  /** With ISO 8601 times. */
  readonly events: readonly unknown[];
}

/** The facts of a call that a report creates. */
export interface ReportedCall {
  /** The id of the call in its phone system. */
  readonly providerCallId: string;
  /** Undefined if the caller withheld it or it cannot be read, or if callers' numbers are not stored. */
  readonly callerNumber: string | undefined;
  /** See `CallerHasher`. Only if callers' numbers are not stored. */
  readonly callerKey: string | undefined;
  /** Whether a prompt was played and a recording made; undefined if it is unknown. */
  readonly done: { readonly isPrompted: boolean; readonly isRecorded: boolean } | undefined;
}

const TIME = /(?:^a|A)t$/;

/** Returns the events of a report. */
export function eventsOf({ events }: Pick<CallReport, "events">): readonly CallEvent[] {
  const readTime = (key: string, value: unknown) =>
    TIME.test(key) && typeof value === "string" ? new Date(value) : value;
  return JSON.parse(JSON.stringify(events), readTime);
}

/** Whether events tell that the business answered a call, even if no result of dialing says so yet. */
export function hasAnswer(events: readonly CallEvent[]): boolean {
  return events.some(
    (event) => event.kind === "dialed_leg" && (event.answeredAt !== undefined || event.end?.outcome === "answered"),
  );
}

/** Whether a call is over after events. */
export function hasEnd(events: readonly CallEvent[]): boolean {
  return events.some(
    (event) =>
      event.kind === "caller_leg" || event.kind === "timer" || (event.kind === "dial_result" && !event.isContinued),
  );
}
