import type { CallEvidence } from "@calltrack/domain";

/** Longer values count as absent. No documented value is longer. */
const MAX_LENGTH = 2000;

const MAX_SECONDS = 86_400;

/** How far a phone system's clock may be ahead, and how late a report may be. The time of arrival replaces a time outside these limits. */
const MAX_AHEAD_MS = 5 * 60_000;
const MAX_BEHIND_MS = 7 * 24 * 3_600_000;

/** An RFC 2822 date and time, in the form that Twilio sends. */
const RFC_2822 = /^[A-Z][a-z]{2}, (\d{1,2} [A-Z][a-z]{2} \d{4}) \d\d:\d\d:\d\d (?:[+-]\d{4}|GMT)$/;

/** An RFC 3339 date and time. Telnyx sends a space instead of the `T`. */
const RFC_3339 = /^(\d{4}-\d\d-\d\d)[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)$/;

/** Reads the form fields of a request. Unusable values count as absent, because providers change fields without notice. */
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

  /** Returns the values of a SIP header, joined by commas (RFC 3261, section 7.3.1). Their length is not limited. */
  header(name: string): string | undefined {
    const value = this.#form.getAll(name).filter(Boolean).join(",");
    return value && !/\p{Cc}/u.test(value) ? value : undefined;
  }

  /** Reads a nonnegative integer of up to nine digits; other values count as absent. */
  count(name: string): number | undefined {
    const value = this.text(name);
    return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
  }

  /** Reads a duration in seconds. A duration of more than a day counts as absent. */
  seconds(name: string): number | undefined {
    const seconds = this.count(name);
    return seconds !== undefined && seconds <= MAX_SECONDS ? seconds : undefined;
  }

  /** Reads a time in RFC 2822, RFC 3339 or Unix seconds, and returns it in ISO 8601; undefined if it is malformed or implausible. */
  time(name: string, maxBehindMs?: number): string | undefined {
    const value = this.text(name) ?? "";
    const [, date] = RFC_2822.exec(value) ?? RFC_3339.exec(value) ?? [];
    const isEpoch = /^\d{1,12}(?:\.\d+)?$/.test(value);
    const ms =
      date !== undefined && isDay(date) ? Date.parse(value) : isEpoch ? Math.round(Number(value) * 1000) : Number.NaN;
    return isPlausibleReportTime(ms, this.#now, maxBehindMs) ? new Date(ms).toISOString() : undefined;
  }
}

/** Whether a date exists: `Date.parse` reads 30 February as 2 March. */
function isDay(date: string): boolean {
  const day = /^\d{1,2}(?= )|\d\d$/.exec(date)?.[0];
  return new Date(`${date} UTC`).getUTCDate() === Number(day);
}

/** Whether a time from a phone system is at most 5 minutes in the future, and at most `maxBehindMs` in the past (default: 7 days). */
export function isPlausibleReportTime(ms: number, now: Date, maxBehindMs = MAX_BEHIND_MS): boolean {
  const aheadMs = ms - now.getTime();
  return aheadMs <= MAX_AHEAD_MS && aheadMs >= -maxBehindMs;
}

/**
 * Returns the attestation of the caller's number as evidence. Returns empty evidence if `text` is absent or does not have the form that the standards
 * define.
 */
export function readCallerAttestation(text: string | undefined): CallEvidence {
  return text !== undefined && /^[A-Za-z][A-Za-z\d-]{0,63}$/.test(text) ? { callerAttestation: text } : {};
}

/** Returns the `verstat` parameter of an identity header (3GPP TS 24.229, section 7.2A.20); undefined if it is absent. */
export function parseVerstat(header: string | undefined): string | undefined {
  return /;\s*verstat\s*=\s*"?([^;@>",\s]+)/i.exec(header ?? "")?.[1];
}

export function omitUndefinedFields<Facts extends object>(facts: Facts) {
  const known = Object.entries(facts).filter(([, fact]) => fact !== undefined);
  return Object.fromEntries(known) as { [Fact in keyof Facts]?: Exclude<Facts[Fact], undefined> };
}
