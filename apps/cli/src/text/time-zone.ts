export interface TimeZone {
  readonly name: string;
  /** Returns the offset from UTC at a moment, both in milliseconds. */
  readonly offsetAt: (ms: number) => number;
}

const DAY_MS = 86_400_000;

/** Finds a time zone by its name in the IANA time zone database. Returns undefined for an unknown name. */
export function findTimeZone(name: string): TimeZone | undefined {
  try {
    const format = new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" });
    return { name, offsetAt: (ms) => parseOffset(format.format(ms)) };
  } catch {
    return undefined;
  }
}

/**
 * Returns the moments at which clocks in a time zone show a time: usually one, none if the clocks skip the time, or two if they are set back.
 * Moments are in milliseconds since 1970. `clockMs` is the shown time, converted as if it were UTC.
 */
export function listInstantsOfLocalTime(clockMs: number, { offsetAt }: TimeZone): readonly number[] {
  const offsets = new Set([offsetAt(clockMs - DAY_MS), offsetAt(clockMs + DAY_MS)]);
  return [...offsets].map((offset) => clockMs - offset).filter((ms) => ms + offsetAt(ms) === clockMs);
}

/** Parses the end of `11/21/2026, GMT+01:00`. The offsets of old times have seconds. */
function parseOffset(text: string): number {
  const [, sign, hours = 0, minutes = 0, seconds = 0] = /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?$/.exec(text) ?? [];
  const ms = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  return sign === "-" ? -ms : ms;
}
