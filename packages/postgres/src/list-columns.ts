import { type OperationNodeSource, type RawBuilder, sql } from "kysely";

/**
 * The columns of a list by name, each with the JSON representation of its values:
 *
 * - `text`: a string. Also for values that `pg` returns as strings, such as `bigint`, because JSON numbers would be rounded.
 * - `time`: a `timestamptz`, which becomes a Date rounded to milliseconds. The Date is invalid for `infinity`.
 * - `value`: any other JSON value, such as integers and JSON itself.
 *
 * A list cannot have `bytea` columns, because JSON has no byte strings.
 */
export type ListColumns<R> = { readonly [K in keyof R & string]-?: ColumnType<NonNullable<R[K]>> };

type ColumnType<T> = T extends Date ? "time" : T extends string ? "text" : T extends Uint8Array ? never : "value";

/** The only row that the statement of a list returns: an array of values for each column, or null for each if the list is empty. */
export interface ListResult {
  readonly columns: readonly (readonly unknown[] | null)[];
}

/** Returns the names of columns in the order of their declaration. */
export function columnNames<C extends object>(columns: C): readonly (keyof C & string)[] {
  return Object.keys(columns) as (keyof C & string)[];
}

/**
 * Builds a statement that returns the columns of another as JSON arrays. Their values keep the order of the rows:
 * https://www.postgresql.org/docs/current/functions-aggregate.html
 */
export function selectColumnLists(columns: object, rows: OperationNodeSource): RawBuilder<ListResult> {
  const values = Object.entries(columns).map(([name, type]) => {
    const column = sql.ref(name);
    return type === "text" ? sql`${column}::text` : type === "time" ? sql`date_part('epoch', ${column})` : column;
  });
  const lists = values.map((value) => sql`json_agg(${value})`);
  return sql<ListResult>`select json_build_array(${sql.join(lists)}) as "columns" from ${rows} as "list"`;
}

/** Creates a function that converts the result of a list's statement to rows. */
export function createListReader<R>(columns: ListColumns<R>): (result: readonly ListResult[]) => R[] {
  const names = columnNames(columns);
  // Copied for each row, because V8 adds properties to an object more slowly than it replaces their values.
  const empty = Object.fromEntries(names.map((name) => [name, null]));

  return ([result]) => {
    const lists = names.map((name, index) => {
      const values = result?.columns[index] ?? [];
      return columns[name] === "time" ? values.map(readTime) : values;
    });
    return (lists[0] ?? []).map((_, place) => {
      const row: Record<string, unknown> = { ...empty };
      for (let index = 0; index < names.length; index++) row[names[index] as string] = lists[index]?.[place];
      return row as R;
    });
  };
}

/** @param epoch seconds since 1970, accurate to half a millisecond; the string `Infinity` or `-Infinity` if infinite. */
function readTime(epoch: unknown): Date | null {
  return epoch === null ? null : new Date(Math.round(Number(epoch) * 1000));
}
