import type { CallEvidence } from "@calltrack/domain";

/** Longer values are none: no documented one is longer. */
const MAX_LENGTH = 2000;

const MAX_SECONDS = 86_400;

/** How far a phone system's clock may be wrong, and how late a report may be. Other times are those of arrival. */
const MAX_AHEAD_MS = 5 * 60_000;
const MAX_BEHIND_MS = 7 * 24 * 3_600_000;

/** RFC 2822, as Twilio writes it. */
const RFC_2822 = /^[A-Z][a-z]{2}, (\d{1,2} [A-Z][a-z]{2} \d{4}) \d\d:\d\d:\d\d (?:[+-]\d{4}|GMT)$/;

/** RFC 3339, and with a space, as Telnyx writes it. */
const RFC_3339 = /^(\d{4}-\d\d-\d\d)[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)$/;

/** Reads the fields of a webhook's form. Unusable values count as absent, because providers change fields without notice. */
export class FormFields {
  readonly #form: URLSearchParams;
  readonly #now: Date;
  /** When the form arrived, in ISO 8601. */
  readonly arrivedAt: string;

  constructor(form: URLSearchParams, now: Date) {
    this.#form = form;
    this.#now = now;
    this.arrivedAt = now.toISOString();
  }

  /** Returns the first value of a field; undefined if it is absent, empty or too long, or has control characters. */
  text(name: string): string | undefined {
    const value = this.#form.get(name);
    if (value === null || value === "" || value.length > MAX_LENGTH) return undefined;
    return /\p{Cc}/u.test(value) ? undefined : value;
  }

  /** Returns the values of a header of any length, joined by commas (RFC 3261, section 7.3.1). */
  header(name: string): string | undefined {
    const value = this.#form.getAll(name).filter(Boolean).join(",");
    return value && !/\p{Cc}/u.test(value) ? value : undefined;
  }

  /** Reads a whole number that is not negative, with up to nine digits. */
  count(name: string): number | undefined {
    const value = this.text(name);
    return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
  }

  /** Reads the seconds that a call or a part of it took. More than a day is a mistake, and counts as absent. */
  seconds(name: string): number | undefined {
    const seconds = this.count(name);
    return seconds !== undefined && seconds <= MAX_SECONDS ? seconds : undefined;
  }

  /** Reads a time that is not too old, and returns it in ISO 8601: RFC 2822 or RFC 3339, or seconds since the epoch. */
  time(name: string, maxBehindMs?: number): string | undefined {
    const value = this.text(name) ?? "";
    const [, date] = RFC_2822.exec(value) ?? RFC_3339.exec(value) ?? [];
    const isEpoch = /^\d{1,12}(?:\.\d+)?$/.test(value);
    const ms =
      date !== undefined && isDay(date) ? Date.parse(value) : isEpoch ? Math.round(Number(value) * 1000) : Number.NaN;
    return isUsableTime(ms, this.#now, maxBehindMs) ? new Date(ms).toISOString() : undefined;
  }
}

/** Whether a date exists: `Date.parse` reads 30 February as 2 March. */
function isDay(date: string): boolean {
  const day = /^\d{1,2}(?= )|\d\d$/.exec(date)?.[0];
  return new Date(`${date} UTC`).getUTCDate() === Number(day);
}

/** Whether a time of a phone system may be right. */
export function isUsableTime(ms: number, now: Date, maxBehindMs = MAX_BEHIND_MS): boolean {
  const aheadMs = ms - now.getTime();
  return aheadMs <= MAX_AHEAD_MS && aheadMs >= -maxBehindMs;
}

/** Returns what a phone system says of a caller's number; nothing if it is no value as the standards have them. */
export function readAttestation(text: string | undefined): CallEvidence {
  return text !== undefined && /^[A-Za-z][A-Za-z\d-]{0,63}$/.test(text) ? { callerAttestation: text } : {};
}

/** Returns the parameter `verstat` of a header with an identity (3GPP TS 24.229, section 7.2A.20); undefined if it has none. */
export function verstatOf(header: string | undefined): string | undefined {
  return /;\s*verstat\s*=\s*"?([^;@>",\s]+)/i.exec(header ?? "")?.[1];
}

/** Returns the facts without those that are undefined. */
export function knownFacts<Facts extends object>(facts: Facts) {
  const known = Object.entries(facts).filter(([, fact]) => fact !== undefined);
  return Object.fromEntries(known) as { [Fact in keyof Facts]?: Exclude<Facts[Fact], undefined> };
}
