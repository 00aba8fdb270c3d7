/** The maximum number of named statements, so that generated SQL cannot fill the memory of the server. */
const MAX_NAMED_STATEMENTS = 500;

const names = new Map<string, string>();

/** Returns the name of the prepared statement for an SQL text, the same on every connection. Undefined beyond the limit. */
export function statementName(text: string): string | undefined {
  let name = names.get(text);
  if (name === undefined && names.size < MAX_NAMED_STATEMENTS) {
    name = `statement_${names.size + 1}`;
    names.set(text, name);
  }
  return name;
}
