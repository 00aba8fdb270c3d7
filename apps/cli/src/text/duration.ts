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
