import pg from "pg";

/** Maps the letters of ErrorResponse fields to the property names in `pg`. */
const FIELDS = {
  S: "severity",
  C: "code",
  D: "detail",
  H: "hint",
  P: "position",
  p: "internalPosition",
  q: "internalQuery",
  W: "where",
  s: "schema",
  t: "table",
  c: "column",
  d: "dataType",
  n: "constraint",
  F: "file",
  L: "line",
  R: "routine",
} as const;

/**
 * Reads an ErrorResponse into the error that `pg` would throw.
 *
 * See https://www.postgresql.org/docs/current/protocol-error-fields.html
 */
export function readDatabaseError(bytes: Buffer, start: number, end: number): pg.DatabaseError {
  const fields = new Map<string, string>();
  for (let place = start; place < end && bytes[place] !== 0; ) {
    const fieldEnd = bytes.indexOf(0, place + 1);
    fields.set(String.fromCharCode(bytes[place] as number), bytes.toString("utf8", place + 1, fieldEnd));
    place = fieldEnd + 1;
  }
  const error = new pg.DatabaseError(fields.get("M") ?? "", end - start, "error");
  for (const [letter, name] of Object.entries(FIELDS)) error[name] = fields.get(letter);
  return error;
}
