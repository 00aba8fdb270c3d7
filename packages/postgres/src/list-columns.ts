import { type OperationNodeSource, type RawBuilder, sql } from "kysely";

/**
 * The columns of a list by their names, and how JSON represents each:
 *
 * - `text`: a text, or a value that JavaScript reads as a text, such as a `bigint`, because numbers of JSON would be rounded.
 * - `time`: a `timestamptz`, which is read as a Date with milliseconds. The Date is invalid outside the years 1 to 9999.
 * - `value`: anything else that JSON has, such as integers and JSON itself.
 *
 * JSON has no bytes, so that a list cannot have them.
 */
export type ListColumns<R> = { readonly [K in keyof R & string]-?: ColumnType<NonNullable<R[K]>> };

type ColumnType<T> = T extends Date ? "time" : T extends string ? "text" : T extends Uint8Array ? never : "value";

/** The only row of a list's statement. Its array has an array for each row of the list, or is null if there are none. */
export interface ListResult {
  readonly rows: readonly (readonly unknown[])[] | null;
}

/** Returns the names of columns in their order. */
export function columnNames<C extends object>(columns: C): readonly (keyof C & string)[] {
  return Object.keys(columns) as (keyof C & string)[];
}

/**
 * Builds a statement that returns the rows of another as one array. Its rows keep their order:
 * https://www.postgresql.org/docs/current/functions-aggregate.html
 */
export function selectList(columns: object, rows: OperationNodeSource): RawBuilder<ListResult> {
  const values = Object.entries(columns).map(([name, type]) =>
    type === "text" ? sql`${sql.ref(name)}::text` : sql.ref(name),
  );
  return sql<ListResult>`select json_agg(json_build_array(${sql.join(values)})) as "rows" from ${rows} as "list"`;
}

/** Creates a function that reads the rows of a list from the result of its statement. */
export function listReader<R>(columns: ListColumns<R>): (result: readonly ListResult[]) => R[] {
  const names = columnNames(columns);
  const times = names.filter((name) => columns[name] === "time");
  // Copied for each row, because V8 adds properties to an object more slowly than it replaces them.
  const empty = Object.fromEntries(names.map((name) => [name, null]));

  function readRow(values: readonly unknown[]): R {
    const row: Record<string, unknown> = { ...empty };
    for (let index = 0; index < names.length; index++) row[names[index] as string] = values[index];
    for (const name of times) if (row[name] !== null) row[name] = new Date(row[name] as string);
    return row as R;
  }

  return ([result]) => (result?.rows ?? []).map(readRow);
}
