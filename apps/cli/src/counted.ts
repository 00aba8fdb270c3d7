/** A whole number of things in words: `1 source`, `2 sources`. The noun is one that takes an s. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
