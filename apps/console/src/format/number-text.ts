const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const decimal = new Intl.NumberFormat(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 0 });

/** Formats a count for the reader's language. */
export function countText(value: number): string {
  return whole.format(value);
}

/** Formats a rate with one decimal. */
export function rateText(value: number): string {
  return decimal.format(value);
}

/** Formats a share from 0 to 1. */
export function percentText(value: number): string {
  return percent.format(value);
}

/** Returns a count with its noun: `1 number`, `2 numbers`. */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${countText(count)} ${count === 1 ? noun : plural}`;
}

/** Formats a duration in seconds, such as `1:05`. */
export function durationText(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
