/** Formats an integer in the browser's language, such as `1,000`. */
export const formatCount = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 }).format;

/** Formats a number with one decimal place. */
export const formatRate = new Intl.NumberFormat(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
  .format;

/** Formats a share from 0 to 1 as a percentage without decimals. */
export const formatPercent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 0 }).format;

/** Returns a count with its noun: `1 number`, `2 numbers`. */
export function formatCountWithNoun(count: number, noun: string): string {
  return `${formatCount(count)} ${count === 1 ? noun : `${noun}s`}`;
}

/** Parses a 32-bit integer. Returns 0 for any other text: the server rejects 0, and the form shows the server's message below the field. */
export function parseIntegerOrZero(text = ""): number {
  const value = Number(text);
  return Number.isInteger(value) && Math.abs(value) < 2 ** 31 ? value : 0;
}

/** Formats a number of seconds as minutes and seconds, such as `1:05`. */
export function formatDuration(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
