/**
 * The names of the columns that may contain a fact; the first column that is not empty provides it. `A + B` joins two cells. Names are compared
 * without case, spaces and punctuation, so that `Call Sid`, `call_sid` and `callSid` are equal.
 */
export type ColumnAlternatives = string | readonly string[];

/** A row meets the condition if its `column` contains one of the `values` or, without `values`, any value. */
export interface RowCondition {
  readonly column: string;
  readonly values?: readonly string[];
}

/** Maps each word in a log's outcome column to the outcome that the word means. */
export type OutcomesByWord = Readonly<Record<string, LegOutcomeName>>;

/** The names of the outcomes that a call log format can assign to a word in a log. */
export const legOutcomeNames = [
  "in_progress",
  "answered",
  "missed",
  "busy",
  "failed",
  "voicemail",
  "unknown",
  "abandoned",
] as const;

export type LegOutcomeName = (typeof legOutcomeNames)[number];

/** The structure of a phone system's call log. The file that users pass with `--mapping` has the same keys. */
export interface CallLogFormat {
  /** The column names for files without a header line: one list for each possible number of columns. */
  readonly headers?: readonly (readonly string[])[];
  /** Rows with the same id belong to one call. In a log without ids, rows with the same phone numbers and start time do. */
  readonly call_id?: ColumnAlternatives;
  /**
   * The id of another row of the same call. Among the rows that such ids link, only the rows with the call id of the first row are legs of the
   * caller.
   */
  readonly linked_id?: ColumnAlternatives;
  /** A row that meets one of these conditions is a leg to the business. If a call has such legs, only they show whether it was answered. */
  readonly dialed_leg?: readonly RowCondition[];
  readonly caller_number: ColumnAlternatives;
  readonly tracking_number: ColumnAlternatives;
  /** `international`: phone numbers begin with their country code, with or without a plus sign. If absent, phone numbers may be national. */
  readonly number_format?: "international";
  /** Full tracking numbers, keyed by the text that the log contains in their place, such as a number without its area code. */
  readonly tracking_numbers?: Readonly<Record<string, string>>;
  readonly started_at: ColumnAlternatives;
  readonly answered_at?: ColumnAlternatives;
  readonly ended_at?: ColumnAlternatives;
  /** The column that names the time zone of a row's times, as in the IANA time zone database. */
  readonly time_zone?: ColumnAlternatives;
  /** The meaning of durations that contain one colon. Default: `mm:ss`. */
  readonly duration_format?: "h:mm" | "mm:ss";
  /** Time from the start of the call to its answer, in seconds or as `hh:mm:ss`. */
  readonly ring_duration?: ColumnAlternatives;
  /** Time from the answer of the call to its end, in seconds or as `hh:mm:ss`. */
  readonly talk_duration?: ColumnAlternatives;
  /** Time from the start of the call to its end, in seconds or as `hh:mm:ss`. */
  readonly duration?: ColumnAlternatives;
  /** If this column is absent or empty, the times of a call determine its outcome. */
  readonly outcome?: ColumnAlternatives;
  readonly outcomes?: OutcomesByWord;
  /** Overrides `outcomes` for rows that are not legs to the business. */
  readonly caller_leg_outcomes?: OutcomesByWord;
  /** If an answered row meets one of these conditions, voicemail answered the call. */
  readonly voicemail?: readonly RowCondition[];
  readonly recording_url?: ColumnAlternatives;
  /**
   * The number that a call was routed to. This key, `source`, `medium` and `property_token` are needed only for calls from the time before Calltrack.
   */
  readonly original_number?: ColumnAlternatives;
  readonly source?: ColumnAlternatives;
  readonly medium?: ColumnAlternatives;
  readonly property_token?: ColumnAlternatives;
  /**
   * The origins of calls, keyed by the tracking number in E.164 format, for facts that no column states. The key `*` applies to all tracking numbers.
   */
  readonly origins?: Readonly<Record<string, Readonly<Partial<Record<CallOriginKey, string>>>>>;
  /** A call is skipped if its row meets one of these conditions. */
  readonly skip?: readonly (RowCondition & { readonly reason: string })[];
  /** The order of day and month in dates such as `11/21/2026` or `21-11-2026`. */
  readonly date_order?: DayMonthOrder | undefined;
}

/** The format keys that apply only to calls from the time before Calltrack. */
export const CALL_ORIGIN_KEYS = ["original_number", "source", "medium", "property_token"] as const;

export type CallOriginKey = (typeof CALL_ORIGIN_KEYS)[number];

export type DayMonthOrder = "month-first" | "day-first";

/** The format keys whose columns every log must have. */
export const REQUIRED_FORMAT_KEYS = ["caller_number", "tracking_number", "started_at"] as const;

/** The format keys whose columns show how a call ended. A log must have at least one of these columns. */
export const OUTCOME_FORMAT_KEYS = ["outcome", "answered_at", "talk_duration"] as const;
