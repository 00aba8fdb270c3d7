/** No server-side statement is named beyond this many different texts, so that generated SQL cannot fill its memory. */
const MOST_NAMED_STATEMENTS = 500;

const names = new Map<string, string>();

/**
 * The name of the server-side prepared statement of this text, the same on every connection; undefined when too many texts
 * have a name already.
 */
export function statementName(text: string): string | undefined {
  let name = names.get(text);
  if (name === undefined && names.size < MOST_NAMED_STATEMENTS) {
    name = `calltrack_${names.size + 1}`;
    names.set(text, name);
  }
  return name;
}
