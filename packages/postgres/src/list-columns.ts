import { type OperationNodeSource, type RawBuilder, sql } from "kysely";

/**
 * The columns of a list by their names, and how JSON represents each:
 *
 * - `text`: a text, or a value that JavaScript reads as a text, such as a `bigint`, because numbers of JSON would be rounded.
 * - `time`: a `timestamptz`, which is read as a Date and rounded to milliseconds. The Date is invalid for `infinity`.
 * - `value`: anything else that JSON has, such as integers and JSON itself.
 *
 * JSON has no bytes, so that a list cannot have them.
 */
export type ListColumns<R> = { readonly [K in keyof R & string]-?: ColumnType<NonNullable<R[K]>> };

type ColumnType<T> = T extends Date ? "time" : T extends string ? "text" : T extends Uint8Array ? never : "value";

/** The only row of a list's statement. It has an array for each column, with the values of all rows, or null if there are no rows. */
export interface ListResult {
  readonly columns: readonly (readonly unknown[] | null)[];
}

/** Returns the names of columns in their order. */
export function columnNames<C extends object>(columns: C): readonly (keyof C & string)[] {
  return Object.keys(columns) as (keyof C & string)[];
}

/**
 * Builds a statement that returns the columns of another as one array. Their values keep the order of the rows:
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

/** Creates a function that reads the rows of a list from the result of its statement. */
export function listReader<R>(columns: ListColumns<R>): (result: readonly ListResult[]) => R[] {
  const names = columnNames(columns);
  // Copied for each row, because V8 adds properties to an object more slowly than it replaces them.
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

/** @param epoch seconds since 1970, which have errors of less than half a millisecond; as a text if they are infinite. */
function readTime(epoch: unknown): Date | null {
  return epoch === null ? null : new Date(Math.round(Number(epoch) * 1000));
}
