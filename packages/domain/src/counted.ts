/** A whole number of things in words: `1 visit`, `2 visits`. The noun is one that takes an s. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
