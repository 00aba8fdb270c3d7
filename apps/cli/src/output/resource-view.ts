import type { DescMessage } from "@bufbuild/protobuf";
import type { Cell, Row } from "./resource-row.js";

/** Defines the output of a kind of resource. */
export interface ResourceView<Desc extends DescMessage> extends RowView {
  readonly schema: Desc;
}

/** Defines how tables show rows. */
export interface RowView {
  /** Columns that a table omits on a narrow terminal, in the order in which they are omitted. */
  readonly expendable?: readonly string[];
  /** The columns of a table of several resources, if they differ from the fields. */
  readonly columns?: readonly string[];
  /** The cells of these columns that are not the field of the same name: another field, or a function of the row. */
  readonly cells?: TableCells;
}

/** Cells by column name. */
export type TableCells = Readonly<Record<string, string | ((row: Row) => Cell)>>;

/** Formats a source with its medium: `google / cpc`. */
export function sourceCell({ source, medium }: Row): Cell {
  return typeof source === "string" ? `${source} / ${medium ?? "-"}` : null;
}
