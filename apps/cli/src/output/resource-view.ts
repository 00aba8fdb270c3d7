import type { DescMessage } from "@bufbuild/protobuf";
import type { Cell, Row } from "./resource-row.js";

/** Defines how a kind of resource is shown. */
export interface ResourceView<Desc extends DescMessage> extends RowView {
  readonly schema: Desc;
}

/** Defines how tables show rows. */
export interface RowView {
  /** Columns that a table omits on a narrow terminal, in the order in which they are omitted. */
  readonly expendable?: readonly string[];
  /** The columns of a table with several rows, if they differ from the fields. */
  readonly columns?: readonly string[];
  /** The columns that do not show the field of the same name: each shows the named field, or the result of the function. */
  readonly cells?: TableCells;
}

export type TableCells = Readonly<Record<string, string | ((row: Row) => Cell)>>;

/** Formats a source with its medium: `google / cpc`. */
export function sourceCell({ source, medium }: Row): Cell {
  return typeof source === "string" ? `${source} / ${medium ?? "-"}` : null;
}
