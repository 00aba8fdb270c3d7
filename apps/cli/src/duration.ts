const unitMs = { ms: 1, s: 1000, m: 60_000 } as const;

/** The longest duration that a timer of Node.js can wait for. */
const MAX_MS = 2 ** 31 - 1;

/**
 * Reads a duration into milliseconds.
 *
 *     duration = digits [ "." digits ] unit
 *     unit     = "ms" / "s" / "m"
 *
 * Returns undefined for any other text, for zero, and for what is longer than a timer can wait (24 days).
 */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(text);
  if (match === null) return undefined;
  const ms = Math.ceil(Number(match[1]) * unitMs[match[2] as keyof typeof unitMs]);
  return ms > 0 && ms <= MAX_MS ? ms : undefined;
}
