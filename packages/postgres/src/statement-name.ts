/** The limit of named statements: generated SQL must not fill the server's memory. */
const MAX_NAMED_STATEMENTS = 500;

const names = new Map<string, string>();

/** The name of the server-side prepared statement of a text, the same on every connection; undefined beyond the limit. */
export function statementName(text: string): string | undefined {
  let name = names.get(text);
  if (name === undefined && names.size < MAX_NAMED_STATEMENTS) {
    name = `statement_${names.size + 1}`;
    names.set(text, name);
  }
  return name;
}
