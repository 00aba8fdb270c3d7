import type { DescMessage } from "@bufbuild/protobuf";
import type { Cell, Row } from "../resource-row.js";

/** How a kind of resource is shown. */
export interface ResourceView<Desc extends DescMessage> {
  readonly schema: Desc;
  /** The columns that a table leaves out where the terminal is too narrow, the first one first. */
  readonly expendable: readonly string[];
  /** The columns of a table of several, where they are not simply the fields. */
  readonly columns?: TableColumns;
}

/** What a table shows of a row, by the name of the column. */
export type TableColumns = Readonly<Record<string, (row: Row) => Cell>>;

/** What a row has in a field; null where it has none. */
export function cellAt(row: Row, name: string): Cell {
  return row[name] ?? null;
}

/** A source with its medium, as reasons name it: `google / cpc`. */
export function sourceCell(row: Row): Cell {
  const { source, medium } = row;
  return typeof source === "string" ? `${source} / ${medium ?? "-"}` : null;
}
