/**
 * The columns that contain a fact: of several, the first filled one. `A + B` joins two cells. Names are compared without case, spaces and
 * punctuation, so that `Call Sid`, `call_sid` and `callSid` are equal.
 */
export type Columns = string | readonly string[];

/** A condition on a row: the column is filled or, with `values`, contains one of them. */
export interface RowCondition {
  readonly column: string;
  readonly values?: readonly string[];
}

/** The outcomes that the words in a log stand for. */
export type OutcomeWords = Readonly<Record<string, LegOutcomeName>>;

/** The outcomes that a word can stand for. */
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

/** How a phone system writes calls to its log. A mapping file has the same keys. */
export interface CallLogFormat {
  /** The column names of files without a header: one list for each number of columns. */
  readonly headers?: readonly (readonly string[])[];
  /** Rows with the same id are one call. Without such a column, rows with the same numbers and start are one. */
  readonly call_id?: Columns;
  /** The id of another row of the same call. Of rows that are linked like this, only the first is the caller's leg. */
  readonly linked_id?: Columns;
  /** Conditions for rows that are legs to the business. If a call has such rows, only they show whether it was answered. */
  readonly dialed_leg?: readonly RowCondition[];
  readonly caller_number: Columns;
  readonly tracking_number: Columns;
  /** Whether numbers begin with their country code, with or without a plus sign. Default: national numbers. */
  readonly number_format?: "international";
  /** Full numbers by what the log contains instead, such as a number without its area code. */
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
  /** If absent, the times determine the outcome. */
  readonly outcome?: Columns;
  readonly outcomes?: OutcomeWords;
  /** The outcomes of rows that are not legs to the business, where they differ from `outcomes`. */
  readonly caller_leg_outcomes?: OutcomeWords;
  /** Conditions for answered rows whose call went to voicemail. */
  readonly voicemail?: readonly RowCondition[];
  readonly recording_url?: Columns;
  /** Needed only for calls from the time before Calltrack: the number that they were routed to, and their source. */
  readonly original_number?: Columns;
  readonly source?: Columns;
  readonly medium?: Columns;
  readonly property_token?: Columns;
  /** The same facts, if no column states them, by tracking number in E.164 format. `*` stands for all numbers. */
  readonly origins?: Readonly<Record<string, Readonly<Partial<Record<OriginKey, string>>>>>;
  /** Conditions for calls that are not imported. */
  readonly skip?: readonly (RowCondition & { readonly reason: string })[];
  /** The order of dates with slashes or hyphens whose year comes last. */
  readonly date_order?: DateOrder | undefined;
}

/** The keys that apply only to calls from the time before Calltrack. */
export const ORIGIN_KEYS = ["original_number", "source", "medium", "property_token"] as const;

export type OriginKey = (typeof ORIGIN_KEYS)[number];

export type DateOrder = "month-first" | "day-first";

/** The facts that every log must have. */
export const REQUIRED_KEYS = ["caller_number", "tracking_number", "started_at"] as const;

/** The facts that show how a call ended. A log must have at least one. */
export const OUTCOME_KEYS = ["outcome", "answered_at", "talk_duration"] as const;
