import { type CallFlowSettings, type OpeningPeriod, Weekday } from "./gen/calltracking/v1/call_flow_pb.js";

/** Whether a business is open at a moment, and why. */
export interface OpeningState {
  readonly isOpen: boolean;
  /** Human-readable: `it is Friday 2026-12-25 09:15 in Europe/Berlin, a closed date`. */
  readonly description: string;
}

/**
 * Compares the local time at a moment with the opening hours. If clocks are set back, both occurrences of a repeated local time give the same result.
 * If clocks are set forward, the skipped local times never occur.
 *
 * A closed date removes the periods that begin on that date. A special day replaces the periods that begin on its date.
 */
export function determineOpeningState(
  { hours, closedDates, specialDays }: Pick<CallFlowSettings, "hours" | "closedDates" | "specialDays">,
  at: Date,
): OpeningState {
  if (hours?.timeZone === undefined)
    return { isOpen: true, description: "no opening hours are set, so the business is always open" };
  const { date, time } = readWallClock(at, hours.timeZone);
  const specialDayOf = (day: string) => specialDays.find((each) => each.date === day);
  const periodsOf = (day: string): readonly DayPeriod[] => {
    if (closedDates.includes(day)) return [];
    return specialDayOf(day)?.periods ?? hours.periods.filter(({ days }) => days.includes(weekdayOf(day)));
  };
  // The day on which the period that includes the moment began.
  const openSince = [date, dayBefore(date)].find((day) =>
    periodsOf(day).some((period) =>
      day === date
        ? hasBegun(period, time) && (isOvernight(period) || !hasEnded(period, time))
        : isOvernight(period) && !hasEnded(period, time),
    ),
  );
  const hoursOf = (day: string) => (specialDayOf(day) ? "the hours of a special day" : "the opening hours");
  const reading = `it is ${WEEKDAYS[weekdayOf(date)]} ${date} ${time} in ${hours.timeZone}`;
  if (openSince !== undefined) return { isOpen: true, description: `${reading}, within ${hoursOf(openSince)}` };
  const cause = closedDates.includes(date) ? "a closed date" : `outside ${hoursOf(date)}`;
  return { isOpen: false, description: `${reading}, ${cause}` };
}

/** Reports whether a text is a date that exists, in the format `2026-12-25`. */
export function isCalendarDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00Z`).toJSON()?.startsWith(text) === true;
}

const WEEKDAYS: Readonly<Record<Weekday, string>> = {
  [Weekday.UNSPECIFIED]: "",
  [Weekday.MONDAY]: "Monday",
  [Weekday.TUESDAY]: "Tuesday",
  [Weekday.WEDNESDAY]: "Wednesday",
  [Weekday.THURSDAY]: "Thursday",
  [Weekday.FRIDAY]: "Friday",
  [Weekday.SATURDAY]: "Saturday",
  [Weekday.SUNDAY]: "Sunday",
};

/** Returns the local date and time in a time zone, such as `2026-12-25` and `09:15`. */
function readWallClock(at: Date, timeZone: string): { readonly date: string; readonly time: string } {
  const parts = formatOf(timeZone).formatToParts(at);
  const [year, month, day, hour, minute] = (["year", "month", "day", "hour", "minute"] as const).map(
    (type) => parts.find((part) => part.type === type)?.value,
  );
  return { date: `${year}-${month}-${day}`, time: `${hour}:${minute}` };
}

/** The formats, keyed by the time zone. Cached, because creating a format takes much longer than using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

const MAX_FORMATS = 1000;

const NUMERIC = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" } as const;

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en-US", { ...NUMERIC, timeZone, hourCycle: "h23" });
  if (formats.size >= MAX_FORMATS) formats.clear();
  formats.set(timeZone, format);
  return format;
}

function dayBefore(date: string): string {
  return new Date(Date.parse(date) - 86_400_000).toISOString().slice(0, 10);
}

function weekdayOf(date: string): Weekday {
  return new Date(date).getUTCDay() || Weekday.SUNDAY;
}

type DayPeriod = Pick<OpeningPeriod, "opens" | "closes">;

/** Compares the times as texts, which is correct because their hours and minutes have two digits. */
function hasBegun({ opens = "" }: DayPeriod, time: string): boolean {
  return time >= opens;
}

function hasEnded({ closes = "" }: DayPeriod, time: string): boolean {
  return time >= closes;
}

function isOvernight({ opens = "", closes = "" }: DayPeriod): boolean {
  return closes <= opens;
}
