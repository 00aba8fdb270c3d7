const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * Parses a duration into milliseconds.
 *
 *     duration = digits [ "." digits ] unit
 *     unit     = "ms" / "s" / "m" / "h" / "d"
 *
 * Returns undefined for other text and for zero.
 */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,9}(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text);
  if (match === null) return undefined;
  const ms = Math.ceil(Number(match[1]) * unitMs[match[2] as keyof typeof unitMs]);
  return ms > 0 ? ms : undefined;
}

/** `90`, `1:30` or `00:01:30`, but not `0.0015046`: a spreadsheet writes `00:02:10` as this fraction of a day. */
const CLOCK_DURATION = /^(?:(?:(\d+):(?=[0-5]\d:))?(\d+):(?=[0-5]\d\b))?(?!0\.\d{4})(\d+(?:\.\d+)?)$/;
/** ISO 8601: `PT1M30S`. */
const ISO_DURATION = /^PT(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?$/;
/** `1h 2m 3s` or `65 sec`. */
const UNIT_DURATION =
  /^(?=\d)(?:(\d+) ?h(?:ours?|rs?)?(?![a-z]) ?)?(?:(\d+) ?m(?:in(?:ute)?s?)?(?![a-z]) ?)?(?:(\d+(?:\.\d+)?) ?s(?:ec(?:ond)?s?)?)?$/i;

/**
 * Parses the duration of a call into milliseconds: seconds, `mm:ss`, `hh:mm:ss`, `1h 2m 3s`, or ISO 8601. Returns undefined for other
 * text.
 */
export function parseCallDuration(text: string): number | undefined {
  const match = CLOCK_DURATION.exec(text) ?? ISO_DURATION.exec(text) ?? UNIT_DURATION.exec(text);
  if (match === null) return undefined;
  const [, hours = 0, minutes = 0, seconds = 0] = match;
  return Math.round((Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000);
}
