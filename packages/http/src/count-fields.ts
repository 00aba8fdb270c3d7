/** Counts the field lines with a name in a list of names and values in turn; `name` is in lower case. */
export function countFields(fields: readonly string[], name: string): number {
  let count = 0;
  for (let at = 0; at < fields.length; at += 2) {
    const each = fields[at] as string;
    if (each.length === name.length && each.toLowerCase() === name) count++;
  }
  return count;
}
