import pg from "pg";

/** How the columns of a result become the properties of a row. */
export interface Columns {
  readonly names: readonly string[];
  readonly parsers: readonly ((text: string) => unknown)[];
  /** A row of nothing: copying it is faster than adding property after property. */
  readonly empty: Readonly<Record<string, unknown>>;
}

/** The columns that PostgreSQL describes. The values become what `pg` makes of their types. */
export function readColumns(fields: readonly pg.FieldDef[]): Columns {
  const names = fields.map((field) => field.name);
  return {
    names,
    parsers: fields.map((field) => pg.types.getTypeParser(field.dataTypeID, "text")),
    empty: Object.fromEntries(names.map((name) => [name, null])),
  };
}

/** A row from the texts of its values. Of columns with the same name, the last one counts. */
export function readRow({ names, parsers, empty }: Columns, texts: readonly (string | null)[]): object {
  const row = { ...empty };
  for (let index = 0; index < texts.length; index++) {
    const text = texts[index] as string | null;
    row[names[index] as string] = text === null ? null : parsers[index]?.(text);
  }
  return row;
}
