import type { DescMessage } from "@bufbuild/protobuf";
import type { Cell, Row } from "./resource-row.js";

/** Defines the output of a kind of resource. */
export interface ResourceView<Desc extends DescMessage> {
  readonly schema: Desc;
  /** Columns that a table omits on a narrow terminal, in the order in which they are omitted. */
  readonly expendable: readonly string[];
  /** The columns of a table of several resources, if they differ from the fields. */
  readonly columns?: TableColumns;
}

/** Computes the cells of a row, by column name. */
export type TableColumns = Readonly<Record<string, (row: Row) => Cell>>;

/** Returns the value of a field; null if absent. */
export function cellAt(row: Row, name: string): Cell {
  return row[name] ?? null;
}

/** Formats a source with its medium: `google / cpc`. */
export function sourceCell(row: Row): Cell {
  const { source, medium } = row;
  return typeof source === "string" ? `${source} / ${medium ?? "-"}` : null;
}
