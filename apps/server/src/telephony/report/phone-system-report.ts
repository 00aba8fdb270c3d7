import type { CallEvidence } from "@calltrack/domain";
import type { JournalEntry } from "../outage/journal.js";

/** A report from a phone system about a call, as it is recorded in the database or written to the journal. Times are ISO 8601. */
export interface PhoneSystemReport extends JournalEntry {
  readonly phoneSystemId: string;
  /** The call's account; `ABSENT_ACCOUNT_ID` if it is unknown. */
  readonly accountId: number;
  /** In E.164 format. */
  readonly trackingNumber: string;
  readonly startedAt: string;
  /** The facts needed to create a call that is not recorded yet; undefined if the request lacks them. */
  readonly call:
    | {
        /** The call's id in its phone system. */
        readonly providerCallId: string;
        /** Undefined if the number is withheld or cannot be read, or if callers' numbers are not stored. */
        readonly callerNumber: string | undefined;
        /** The hash that a `CallerHasher` returns for the caller's number. Set only if callers' numbers are not stored. */
        readonly callerKey: string | undefined;
      }
    | undefined;
  readonly evidence: CallEvidence;
}
