/** Counts the field lines with the given name, which must be in lower case. `fields` alternates names and values. */
export function countFields(fields: readonly string[], name: string): number {
  let count = 0;
  for (let at = 0; at < fields.length; at += 2) {
    const each = fields[at] as string;
    if (each.length === name.length && each.toLowerCase() === name) count++;
  }
  return count;
}
