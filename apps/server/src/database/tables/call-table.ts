import type { Generated, GeneratedAlways } from "kysely";

/** The calls to tracking numbers. Attribution is that of `started_at`, and never changes. */
export interface CallTable {
  readonly account_id: number;
  /** A UUIDv7 by the database's clock. */
  readonly id: GeneratedAlways<string>;
  /** The switch's id of the call. */
  readonly call_id: string;
  readonly tracking_number: string;
  /** Null if it was withheld or erased, or caller numbers are not kept. */
  readonly caller_number: string | null;
  /** Tells callers apart, see `callerKey`; null if the number was withheld or erased. */
  readonly caller_key: string | null;
  readonly started_at: Date;
  /** Whether the request had `started_at`, or the service took the time. */
  readonly is_start_sent: boolean;
  readonly answered_at: Date | null;
  readonly ended_at: Date | null;
  /** Null until the call has ended. */
  readonly duration_seconds: number | null;
  readonly outcome: "in_progress" | "answered" | "missed" | "busy" | "failed" | "voicemail";
  readonly recording_url: string | null;
  readonly pool_id: string;
  readonly call_tracker_id: string;
  readonly original_number: string;
  readonly property_token: string | null;
  readonly source: string | null;
  readonly medium: string | null;
  readonly tracker_status: "available" | "active" | "flagged" | "released";
  /** Whether the account has no earlier call with the same `caller_key`; null if the number was withheld. */
  readonly is_first_call: boolean | null;
  readonly is_prompted: boolean;
  readonly is_recorded: boolean;
  readonly created_at: Generated<Date>;
  readonly updated_at: Generated<Date>;
}
