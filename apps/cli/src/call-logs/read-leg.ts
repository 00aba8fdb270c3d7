import { timestampMs } from "@bufbuild/protobuf/wkt";
import { findTimeZoneProblem } from "@calltrack/domain";
import { CallOutcome, CallOutcomeSchema } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { ImportRow } from "../import/import-row.js";
import { parseCallDuration } from "../text/duration.js";
import { findEnumNumber } from "../text/enum-name.js";
import { normalizeWord } from "../text/normalize-word.js";
import { describeSpreadsheetDamage } from "../text/spreadsheet-damage.js";
import { findTimeZone, type TimeZone } from "../text/time-zone.js";
import { type CallLeg, createCallOrigin } from "./call-leg.js";
import type { CallLogFormat, OutcomesByWord, RowCondition } from "./call-log-format.js";
import {
  type CallLogRowCells,
  createCallLogRowCells,
  getFirstFilledCell,
  getIdCells,
  meetsRowCondition,
} from "./call-log-row-cells.js";
import { type CallLogTimeRules, parseCallLogTime } from "./log-time.js";

/** @param timeZone the time zone of times without an offset, in rows that name no time zone. */
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
    const cells = createCallLogRowCells(row.content.fields);
    const isDialed = meetsAnyCondition(format.dialed_leg, cells);
    const zone = getFirstFilledCell(cells, format.time_zone);
    const zoneProblem = zone === "" ? undefined : findTimeZoneProblem(zone);
    const times = readTimes(cells, format, { timeZone: zoneOf(zone), dateOrder: format.date_order });
    const word = getFirstFilledCell(cells, format.outcome);
    const known = normalizeWord(word);
    const outcome = outcomeOf(known, isDialed ? outcomes : callerOutcomes, times);
    const isVoicemail = times.answeredAt !== undefined && meetsAnyCondition(format.voicemail, cells);
    const endedAt = times.endedAt ?? (outcome === CallOutcome.ANSWERED ? undefined : times.startedAt);
    const dialed = getFirstFilledCell(cells, format.tracking_number);
    const [trackingNumber, callerNumber] = [
      fullNumbers.get(dialed) ?? dialed,
      getFirstFilledCell(cells, format.caller_number),
    ];
    const ids = getIdCells(cells, format.call_id);
    const [[callId = ""], [linkedId = ""]] = [ids, getIdCells(cells, format.linked_id)];
    const isLinked = format.linked_id !== undefined;
    const derivedKey = times.startedAt && `${times.startedAt} ${trackingNumber} ${callerNumber}`;
    const keys = [callId || derivedKey, linkedId];
    const damage = describeSpreadsheetDamage(callId) ?? describeSpreadsheetDamage(linkedId);
    const problems = [
      zoneProblem && `time_zone ${JSON.stringify(zone)} ${zoneProblem}`,
      ...times.problems,
      outcomeProblem(outcome, word, endedAt, format),
      damage && `call_id ${damage}`,
    ];
    return {
      row,
      keys: keys.filter((key) => typeof key === "string" && key !== "") as string[],
      ...{ callId, isDialed, isLinked, trackingNumber, callerNumber },
      hasCallerLegIds: isLinked ? linkedId !== "" : ids.every((id) => id === callId),
      startedAt: times.startedAt,
      answeredAt: times.answeredAt,
      endedAt: outcome === CallOutcome.IN_PROGRESS ? undefined : endedAt,
      isPickedUp: !isDialed && callerOutcomes.get(known) !== outcomes.get(known),
      outcome: isVoicemail ? CallOutcome.VOICEMAIL : (outcome ?? CallOutcome.UNSPECIFIED),
      recordingUrl: getFirstFilledCell(cells, format.recording_url) || undefined,
      origin: createCallOrigin((key) => getFirstFilledCell(cells, format[key])),
      problem: problems.filter((problem) => problem !== undefined).join("; ") || undefined,
      skipReason: format.skip?.find((condition) => meetsRowCondition(condition, cells))?.reason,
    };
  };
}

function meetsAnyCondition(conditions: readonly RowCondition[] | undefined, cells: CallLogRowCells): boolean {
  return conditions?.some((condition) => meetsRowCondition(condition, cells)) ?? false;
}

function outcomeProblem(
  outcome: CallOutcome | undefined,
  word: string,
  endedAt: number | undefined,
  format: CallLogFormat,
): string | undefined {
  if (outcome === undefined) {
    const known = Object.keys(format.outcomes ?? {}).join(", ");
    return `outcome ${JSON.stringify(word)} is unknown (known outcomes: ${known}): map it to one of Calltrack's outcomes with --mapping`;
  }
  if (outcome !== CallOutcome.ANSWERED || endedAt !== undefined) return undefined;
  return "ended_at is missing, and no column contains the duration of the call: add the end or the duration";
}

function comparableWords(words: OutcomesByWord | undefined): ReadonlyMap<string, CallOutcome> {
  return new Map(
    Object.entries(words ?? {}).map(([word, name]) => [
      normalizeWord(word),
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

function readTimes(cells: CallLogRowCells, format: CallLogFormat, rules: CallLogTimeRules): LegTimes {
  const problems: string[] = [];
  const time = (field: "started_at" | "answered_at" | "ended_at"): number | undefined => {
    const text = getFirstFilledCell(cells, format[field]);
    // Databases and phone systems write zeros, or the beginning of 1970 in some time zone, for an absent time.
    if (/^(?:0+(?:\.0+)?|(?:0000-00-00|1970-01-01|1969-12-31).*)?$/.test(text)) return undefined;
    const read = parseCallLogTime(text, rules);
    if ("value" in read) return timestampMs(read.value);
    problems.push(`${field} ${read.expectation}`);
    return undefined;
  };
  const span = (field: "ring_duration" | "talk_duration" | "duration"): number | undefined => {
    const text = getFirstFilledCell(cells, format[field]);
    const isShort = format.duration_format === "h:mm" && /^\d+:\d\d$/.test(text);
    const read = text === "" ? undefined : parseCallDuration(isShort ? `${text}:00` : text);
    if (text !== "" && read === undefined)
      problems.push(`${field} must be a number of seconds, or a duration such as 01:02:03 or 1h 2m 3s`);
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
   * Returns when the leg was answered; undefined if it was not. In a log without answer times and talk durations, the answer time is the end of
   * the ring duration or, without a ring duration, the start.
   */
  function answerOf(): number | undefined {
    if (answered !== undefined) return answered;
    if (talk !== undefined)
      return talk === 0 || endedAt === undefined ? undefined : Math.max(startedAt ?? 0, endedAt - talk);
    return format.answered_at === undefined && startedAt !== undefined ? startedAt + (ring ?? 0) : undefined;
  }
}

/** Returns undefined for an unknown word. */
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
    ...{ row, keys: [], callId: "", isDialed: false, isLinked: false, hasCallerLegIds: false },
    ...{ trackingNumber: "", callerNumber: "" },
    ...{ startedAt: undefined, answeredAt: undefined, endedAt: undefined, recordingUrl: undefined },
    ...{ isPickedUp: false, outcome: CallOutcome.UNSPECIFIED, origin: {}, problem, skipReason: undefined },
  };
}
