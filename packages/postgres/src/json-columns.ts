import { type OperationNodeSource, type RawBuilder, sql } from "kysely";

/**
 * The JSON representation of the values in each column of a list, keyed by the column name:
 *
 * - `text`: a string. Use it for `bigint` too, as `pg` does, because JSON numbers would be rounded.
 * - `time`: a `timestamptz`, which is read as a Date rounded to milliseconds. The Date is invalid for `infinity`.
 * - `value`: any other JSON value, such as an integer or a `jsonb` column.
 *
 * A list cannot have `bytea` columns, because JSON has no byte strings.
 */
export type ColumnJsonTypes<R> = { readonly [K in keyof R & string]-?: ColumnType<NonNullable<R[K]>> };

type ColumnType<T> = T extends Date ? "time" : T extends string ? "text" : T extends Uint8Array ? never : "value";

/** The single result row of a list's statement: for each column an array of its values, or null if the list is empty. */
export interface JsonColumnsRow {
  readonly columns: readonly (readonly unknown[] | null)[];
}

/** Returns the keys of an object in the order of their declaration, typed as the property names of the object. */
export function listColumnNames<C extends object>(columns: C): readonly (keyof C & string)[] {
  return Object.keys(columns) as (keyof C & string)[];
}

/**
 * Builds the statement that returns each column of `rows` as a JSON array. The values in an array have the order of the rows:
 * https://www.postgresql.org/docs/current/functions-aggregate.html
 */
export function buildJsonColumnsStatement(columns: object, rows: OperationNodeSource): RawBuilder<JsonColumnsRow> {
  const values = Object.entries(columns).map(([name, type]) => {
    const column = sql.ref(name);
    return type === "text" ? sql`${column}::text` : type === "time" ? sql`date_part('epoch', ${column})` : column;
  });
  const lists = values.map((value) => sql`json_agg(${value})`);
  return sql<JsonColumnsRow>`select json_build_array(${sql.join(lists)}) as "columns" from ${rows} as "list"`;
}

/** Creates a function that converts the result of a list's statement from columns to rows. */
export function createJsonColumnsReader<R>(columns: ColumnJsonTypes<R>): (result: readonly JsonColumnsRow[]) => R[] {
  const names = listColumnNames(columns);
  // A template that is copied for each row, because V8 adds properties to an object more slowly than it replaces their values.
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

/** @param epoch seconds since 1970, accurate to half a millisecond; the string `Infinity` or `-Infinity` for an infinite timestamp. */
function readTime(epoch: unknown): Date | null {
  return epoch === null ? null : new Date(Math.round(Number(epoch) * 1000));
}
