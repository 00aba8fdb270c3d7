import type { DescMessage } from "@bufbuild/protobuf";
import type { OutputCell, OutputRow } from "./output-row.js";

/** Defines how tables show a kind of resource. */
export interface ResourceView<Desc extends DescMessage> extends RowView {
  readonly schema: Desc;
}

/** Defines how tables show rows. */
export interface RowView {
  /** Columns that a table omits on a narrow terminal, in the order in which they are omitted. */
  readonly expendable?: readonly string[];
  /** The columns of a table with several rows, if they differ from the fields. */
  readonly columns?: readonly string[];
  /**
   * The sources of the columns that do not show the field of the same name, keyed by the column. A source is the name of another field, or a function
   * that returns the cell.
   */
  readonly cells?: TableCellSources;
}

export type TableCellSources = Readonly<Record<string, string | ((row: OutputRow) => OutputCell)>>;

/** Formats a source with its medium, such as `google / cpc`; null if there is no source. */
export function formatSourceCell({ source, medium }: OutputRow): OutputCell {
  return typeof source === "string" ? `${source} / ${medium ?? "-"}` : null;
}
