import { timestampMs } from "@bufbuild/protobuf/wkt";
import { timeZoneProblem } from "@calltrack/domain";
import { CallOutcome, CallOutcomeSchema } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { ImportRow } from "../import/import-row.js";
import { comparableWord } from "../text/comparable-name.js";
import { parseCallDuration } from "../text/duration.js";
import { findEnumNumber } from "../text/enum-name.js";
import { spreadsheetDamage } from "../text/spreadsheet-damage.js";
import { findTimeZone, type TimeZone } from "../text/time-zone.js";
import { type CallLeg, originOf } from "./call-leg.js";
import type { CallLogFormat, OutcomeWords, RowCondition } from "./call-log-format.js";
import { type Cells, cellOf, cellsOf, idOf, meetsCondition } from "./log-cells.js";
import { readLogTime, type TimeRules } from "./log-time.js";

/** Creates a function that reads a row of a call log. */
export function createLegReader(format: CallLogFormat, timeZone: TimeZone | undefined): (row: ImportRow) => CallLeg {
  const zones = new Map<string, TimeZone | undefined>([["", timeZone]]);
  const zoneOf = (name: string): TimeZone | undefined => {
    if (!zones.has(name)) zones.set(name, findTimeZone(name));
    return zones.get(name);
  };
  const outcomes = comparableWords(format.outcomes);
  const fullNumbers = new Map(Object.entries(format.tracking_numbers ?? {}));
  const callerOutcomes = new Map([...outcomes, ...comparableWords(format.caller_leg_outcomes)]);
  return (row) => {
    if (row.content.kind === "unreadable") return unreadableLeg(row, row.content.reason);
    const cells = cellsOf(row.content.fields);
    const isDialed = meetsAnyCondition(format.dialed_leg, cells);
    const zone = cellOf(cells, format.time_zone);
    const zoneProblem = zone === "" ? undefined : timeZoneProblem(zone);
    const times = readTimes(cells, format, { timeZone: zoneOf(zone), dateOrder: format.date_order });
    const word = cellOf(cells, format.outcome);
    const known = comparableWord(word);
    const outcome = outcomeOf(known, isDialed ? outcomes : callerOutcomes, times);
    const isVoicemail = times.answeredAt !== undefined && meetsAnyCondition(format.voicemail, cells);
    const endedAt = times.endedAt ?? (outcome === CallOutcome.ANSWERED ? undefined : times.startedAt);
    const dialed = cellOf(cells, format.tracking_number);
    const [callId, linkedId, trackingNumber, callerNumber] = [
      idOf(cells, format.call_id),
      idOf(cells, format.linked_id),
      fullNumbers.get(dialed) ?? dialed,
      cellOf(cells, format.caller_number),
    ];
    const derivedKey = times.startedAt && `${times.startedAt} ${trackingNumber} ${callerNumber}`;
    const keys = [callId || derivedKey, linkedId];
    const damage = spreadsheetDamage(callId) ?? spreadsheetDamage(linkedId);
    const problems = [
      zoneProblem && `time_zone ${JSON.stringify(zone)} ${zoneProblem}`,
      ...times.problems,
      outcomeProblem(outcome, word, endedAt, format),
      damage && `call_id ${damage}`,
    ];
    return {
      row,
      keys: keys.filter((key) => typeof key === "string" && key !== "") as string[],
      ...{ callId, isDialed, isLinked: format.linked_id !== undefined, trackingNumber, callerNumber },
      startedAt: times.startedAt,
      answeredAt: times.answeredAt,
      endedAt: outcome === CallOutcome.IN_PROGRESS ? undefined : endedAt,
      isPickedUp: !isDialed && callerOutcomes.get(known) !== outcomes.get(known),
      outcome: isVoicemail ? CallOutcome.VOICEMAIL : (outcome ?? CallOutcome.UNSPECIFIED),
      recordingUrl: cellOf(cells, format.recording_url) || undefined,
      origin: originOf((key) => cellOf(cells, format[key])),
      problem: problems.filter((problem) => problem !== undefined).join("; ") || undefined,
      skipReason: format.skip?.find((condition) => meetsCondition(condition, cells))?.reason,
    };
  };
}

function meetsAnyCondition(conditions: readonly RowCondition[] | undefined, cells: Cells): boolean {
  return conditions?.some((condition) => meetsCondition(condition, cells)) ?? false;
}

function outcomeProblem(
  outcome: CallOutcome | undefined,
  word: string,
  endedAt: number | undefined,
  format: CallLogFormat,
): string | undefined {
  if (outcome === undefined) {
    const known = Object.keys(format.outcomes ?? {}).join(", ");
    return `outcome ${JSON.stringify(word)} is unknown (known: ${known}): map it with --mapping`;
  }
  if (outcome !== CallOutcome.ANSWERED || endedAt !== undefined) return undefined;
  return "ended_at is missing: no column gives the end or a duration";
}

function comparableWords(words: OutcomeWords | undefined): ReadonlyMap<string, CallOutcome> {
  return new Map(
    Object.entries(words ?? {}).map(([word, name]) => [
      comparableWord(word),
      findEnumNumber(CallOutcomeSchema, name) ?? CallOutcome.UNSPECIFIED,
    ]),
  );
}

interface LegTimes {
  readonly startedAt: number | undefined;
  readonly answeredAt: number | undefined;
  readonly endedAt: number | undefined;
  /** Whether the row itself has an answer time or a talk duration. */
  readonly isAnswered: boolean;
  readonly problems: readonly string[];
}

function readTimes(cells: Cells, format: CallLogFormat, rules: TimeRules): LegTimes {
  const problems: string[] = [];
  const time = (field: "started_at" | "answered_at" | "ended_at"): number | undefined => {
    const text = cellOf(cells, format[field]);
    // Databases and phone systems write zeros, or the beginning of 1970 in some time zone, for an absent time.
    if (/^(?:0+(?:\.0+)?|(?:0000-00-00|1970-01-01|1969-12-31).*)?$/.test(text)) return undefined;
    const read = readLogTime(text, rules);
    if ("value" in read) return timestampMs(read.value);
    problems.push(`${field} ${read.expectation}`);
    return undefined;
  };
  const span = (field: "ring_duration" | "talk_duration" | "duration"): number | undefined => {
    const text = cellOf(cells, format[field]);
    const isShort = format.duration_format === "h:mm" && /^\d+:\d\d$/.test(text);
    const read = text === "" ? undefined : parseCallDuration(isShort ? `${text}:00` : text);
    if (text !== "" && read === undefined) problems.push(`${field} must be seconds, hh:mm:ss or 1h 2m 3s`);
    return read;
  };
  const [startedAt, answered, ended] = [time("started_at"), time("answered_at"), time("ended_at")];
  const [ring, talk, whole] = [span("ring_duration"), span("talk_duration"), span("duration")];
  if (startedAt === undefined) {
    if (problems.length === 0) problems.push("started_at is missing");
    return { startedAt, answeredAt: undefined, endedAt: undefined, isAnswered: false, problems };
  }
  const total = whole ?? (ring === undefined && talk === undefined ? undefined : (ring ?? 0) + (talk ?? 0));
  const endedAt = ended ?? (total === undefined ? undefined : startedAt + total);
  const isAnswered = answered !== undefined || (talk ?? 0) > 0;
  return { startedAt, answeredAt: answerOf(), endedAt, isAnswered, problems };

  /**
   * Returns when the leg was answered; undefined if it was not. In a log without answer times and talk durations, that is the end of ringing, or
   * the start if there is no ring duration.
   */
  function answerOf(): number | undefined {
    if (answered !== undefined) return answered;
    if (talk !== undefined)
      return talk === 0 || endedAt === undefined ? undefined : Math.max(startedAt ?? 0, endedAt - talk);
    return format.answered_at === undefined && startedAt !== undefined ? startedAt + (ring ?? 0) : undefined;
  }
}

/** Returns the outcome of a row; undefined for an unknown word. */
function outcomeOf(
  word: string,
  outcomes: ReadonlyMap<string, CallOutcome>,
  { answeredAt, endedAt, isAnswered }: LegTimes,
): CallOutcome | undefined {
  if (word === "" && endedAt === undefined) return CallOutcome.IN_PROGRESS;
  if (word === "") return isAnswered ? CallOutcome.ANSWERED : CallOutcome.MISSED;
  const outcome = outcomes.get(word);
  return outcome === CallOutcome.ANSWERED && answeredAt === undefined ? CallOutcome.MISSED : outcome;
}

function unreadableLeg(row: ImportRow, problem: string): CallLeg {
  return {
    ...{ row, keys: [], callId: "", isDialed: false, isLinked: false, trackingNumber: "", callerNumber: "" },
    ...{ startedAt: undefined, answeredAt: undefined, endedAt: undefined, recordingUrl: undefined },
    ...{ isPickedUp: false, outcome: CallOutcome.UNSPECIFIED, origin: {}, problem, skipReason: undefined },
  };
}
