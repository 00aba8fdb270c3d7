/** Counts the field lines with a name in lower case. `rawHeaders` alternates names and values. */
export function countFields(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const each = rawHeaders[at] as string;
    if (each.length === name.length && each.toLowerCase() === name) count++;
  }
  return count;
}
