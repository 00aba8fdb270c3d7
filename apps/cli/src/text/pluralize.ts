/** Formats a count with its noun: `1 source`, `2 sources`. Only for nouns whose plural is formed with "s". */
export function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
