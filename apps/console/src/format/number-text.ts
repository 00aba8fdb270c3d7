/** Formats an integer in the browser's language, such as `1,000`. */
export const countText = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 }).format;

/** Formats a number with one decimal place. */
export const rateText = new Intl.NumberFormat(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 1 }).format;

/** Formats a share from 0 to 1 as a percentage without decimals. */
export const percentText = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 0 }).format;

/** Returns a count with its noun: `1 number`, `2 numbers`. */
export function countOf(count: number, noun: string): string {
  return `${countText(count)} ${count === 1 ? noun : `${noun}s`}`;
}

/** Parses a 32-bit integer. Returns 0 for any other text: the server rejects 0, and its message is shown at the field. */
export function parseInteger(text = ""): number {
  const value = Number(text);
  return Number.isInteger(value) && Math.abs(value) < 2 ** 31 ? value : 0;
}

/** Formats a duration in seconds, such as `1:05`. */
export function durationText(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
