import type { CallEvidence } from "@calltrack/domain";
import type { JournalEntry } from "../outage/journal.js";

/**
 * A report of a phone system about a call. The same object is recorded in the database and written to the journal. Times are ISO 8601.
 */
export interface PhoneReport extends JournalEntry {
  /** The phone system that reported it. */
  readonly phoneSystemId: string;
  /** The account of the call, as far as it is known; `NO_ACCOUNT` if it is not. */
  readonly accountId: number;
  /** In E.164 format. */
  readonly trackingNumber: string;
  readonly startedAt: string;
  /** The facts to create a call with that is not recorded yet; undefined if the request does not tell them. */
  readonly call:
    | {
        /** The id of the call in its phone system. */
        readonly providerCallId: string;
        /** Undefined if the caller withheld it or it cannot be read, or if callers' numbers are not stored. */
        readonly callerNumber: string | undefined;
        /** See `CallerHasher`. Only if callers' numbers are not stored. */
        readonly callerKey: string | undefined;
      }
    | undefined;
  readonly evidence: CallEvidence;
}
