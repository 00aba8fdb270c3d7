/**
 * The columns that hold a fact: the first filled one of several. `A + B` joins two cells. Names are compared without
 * case, spaces and punctuation, so that `Call Sid`, `call_sid` and `callSid` are one.
 */
export type Columns = string | readonly string[];

/** A condition on a row: a column is filled, or has one of some values. */
export interface Condition {
  readonly column: string;
  readonly values?: readonly string[];
}

/** An outcome of a row by its word in the log. */
export type OutcomeWords = Readonly<Record<string, LegOutcomeName>>;

/** The outcomes that a mapping can give to a word. */
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

/** One of {@link legOutcomeNames}. */
export type LegOutcomeName = (typeof legOutcomeNames)[number];

/** How a phone system writes calls to its log. A mapping file has the same keys. */
export interface CallLogFormat {
  /** The columns of files whose first line does not name them: one list for each number of columns. */
  readonly headers?: readonly (readonly string[])[];
  /** Rows with the same id are one call. Without such a column, rows with the same numbers and start are one. */
  readonly call_id?: Columns;
  /** The id of another row of the same call, which then is a leg to the business. */
  readonly linked_id?: Columns;
  /** The rows of legs to the business. If a call has such rows, only they tell whether it was answered. */
  readonly dialed_leg?: readonly Condition[];
  readonly caller_number: Columns;
  readonly tracking_number: Columns;
  /** Whether numbers begin with their country code, with or without a plus sign. Default: national numbers. */
  readonly number_format?: "international";
  /** The full numbers that the log writes in another way, such as without the area code. */
  readonly tracking_numbers?: Readonly<Record<string, string>>;
  readonly started_at: Columns;
  readonly answered_at?: Columns;
  readonly ended_at?: Columns;
  /** The time zone of a row's times, by its name in the IANA time zone database. */
  readonly time_zone?: Columns;
  /** How durations with one colon are read. Default: `mm:ss`. */
  readonly duration_format?: "h:mm" | "mm:ss";
  /** Time from start to answer. Durations are seconds or `hh:mm:ss`. */
  readonly ring_duration?: Columns;
  /** Time from answer to end. */
  readonly talk_duration?: Columns;
  /** Time from start to end. */
  readonly duration?: Columns;
  /** Absent: the times tell the outcome. */
  readonly outcome?: Columns;
  readonly outcomes?: OutcomeWords;
  /** Differing outcomes of rows that are no legs to the business. */
  readonly caller_leg_outcomes?: OutcomeWords;
  /** The answered rows whose call went to voicemail. */
  readonly voicemail?: readonly Condition[];
  readonly recording_url?: Columns;
  /** The columns that only calls from the time before Calltrack need: the number they were routed to, and their source. */
  readonly original_number?: Columns;
  readonly source?: Columns;
  readonly medium?: Columns;
  readonly property_token?: Columns;
  /** The same facts by tracking number, in E.164 format, for what no column says; those of `*` for all numbers. */
  readonly origins?: Readonly<Record<string, Readonly<Partial<Record<OriginKey, string>>>>>;
  /** The calls that are not imported. */
  readonly skip?: readonly (Condition & { readonly reason: string })[];
  /** The order of dates with slashes or hyphens whose year comes last. */
  readonly date_order?: DateOrder | undefined;
}

/** The keys of what only calls from the time before Calltrack state. */
export const ORIGIN_KEYS = ["original_number", "source", "medium", "property_token"] as const;

/** One of {@link ORIGIN_KEYS}. */
export type OriginKey = (typeof ORIGIN_KEYS)[number];

/** The order of day and month in a date. */
export type DateOrder = "month-first" | "day-first";

/** The facts that every log must have. */
export const REQUIRED_KEYS = ["caller_number", "tracking_number", "started_at"] as const;

/** The facts that tell how a call ended. A log must have one. */
export const OUTCOME_KEYS = ["outcome", "answered_at", "talk_duration"] as const;
