import type { ComponentChildren, RefObject } from "preact";
import { useRef } from "preact/hooks";
import { useStackedRows } from "./use-stacked-rows";
import { useVirtualizer } from "./use-virtualizer";

export interface TableColumn<T> {
  readonly title: string;
  readonly cell: (row: T) => ComponentChildren;
  /** Whether the cells contain numbers, which are right-aligned. */
  readonly numeric?: boolean;
  /** Whether narrow screens hide the column, unless the table stacks its cells. */
  readonly wideOnly?: boolean;
  /** Whether the cells are the headers of their rows. */
  readonly isHeader?: boolean;
}

export interface DataTableProps<T> {
  /** The table's accessible name, such as `Accounts`. */
  readonly label: string;
  readonly columns: readonly TableColumn<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T, index: number) => string;
  readonly rowClass?: ((row: T) => string | undefined) | undefined;
  /** Shown instead of the table if it has no rows. */
  readonly empty?: ComponentChildren;
}

/** A table with more rows than this draws only the visible ones. */
const MAX_DRAWN_ROWS = 120;

const ROW_PX = 45;

/** Shows rows as a table. A table with more than `MAX_DRAWN_ROWS` rows scrolls in its own frame, and draws only the visible rows. */
export function DataTable<T>({ empty, ...props }: DataTableProps<T>) {
  if (props.rows.length === 0 && empty !== undefined) return <>{empty}</>;
  return props.rows.length > MAX_DRAWN_ROWS ? <VirtualTable {...props} /> : <PlainTable {...props} />;
}

function PlainTable<T>({ label, columns, rows, keyOf, rowClass }: DataTableProps<T>) {
  const frame = useRef<HTMLElement>(null);
  useStackedRows(frame, true);
  return (
    <Frame {...{ label, columns, frame }}>
      {rows.map((row, index) => (
        <Row key={keyOf(row, index)} {...{ columns, row }} className={rowClass?.(row)} />
      ))}
    </Frame>
  );
}

function VirtualTable<T>({ label, columns, rows, keyOf, rowClass }: DataTableProps<T>) {
  const frame = useRef<HTMLElement>(null);
  useStackedRows(frame, false);
  const virtualizer = useVirtualizer(frame, rows.length, ROW_PX);
  const items = virtualizer.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <Frame {...{ label, columns, frame }} className="table-frame table-frame-tall" rowCount={rows.length + 1}>
      <Spacer height={before} columns={columns.length} />
      {items.map(({ index }) => {
        const row = rows[index] as T;
        return (
          <Row
            key={keyOf(row, index)}
            {...{ columns, row, index }}
            className={rowClass?.(row)}
            onMount={virtualizer.measureElement}
          />
        );
      })}
      <Spacer height={after} columns={columns.length} />
    </Frame>
  );
}

interface FrameProps<T> extends Pick<DataTableProps<T>, "label" | "columns"> {
  readonly className?: string;
  readonly frame: RefObject<HTMLElement | null>;
  /** The number of rows including the header row. Set if the table draws only some rows. */
  readonly rowCount?: number;
  readonly children: ComponentChildren;
}

/** A scrolling element with a table and its head. */
function Frame<T>({ label, columns, className = "table-frame", frame, rowCount, children }: FrameProps<T>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the table scrolls, also by keyboard
    <section class={className} aria-label={label} tabIndex={0} ref={frame}>
      <table aria-rowcount={rowCount}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

interface RowProps<T> {
  readonly columns: readonly TableColumn<T>[];
  readonly row: T;
  readonly className: string | undefined;
  /** The index of the row among all rows. Set if the table draws only some rows. */
  readonly index?: number;
  /** Called with the row's element, and with null when the row is removed. */
  readonly onMount?: (element: HTMLElement | null) => void;
}

function Row<T>({ columns, row, index, className, onMount }: RowProps<T>) {
  return (
    <tr
      class={className}
      aria-rowindex={index === undefined ? undefined : index + 2}
      data-index={index}
      ref={onMount ?? null}
    >
      {columns.map((column) => {
        const Cell = column.isHeader ? "th" : "td";
        return (
          <Cell
            key={column.title}
            scope={column.isHeader ? "row" : undefined}
            class={classOf(column)}
            data-label={column.title}
          >
            {column.cell(row)}
          </Cell>
        );
      })}
    </tr>
  );
}

/** Fills the space of the rows that are not drawn. */
function Spacer({ height, columns }: { readonly height: number; readonly columns: number }) {
  if (height <= 0) return null;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: the row is empty and cannot be focused
    <tr aria-hidden="true" class="spacer">
      <td colSpan={columns} style={{ height: `${height}px` }} />
    </tr>
  );
}

function classOf<T>({ numeric, wideOnly }: TableColumn<T>): string | undefined {
  return [numeric ? "numeric" : "", wideOnly ? "wide-only" : ""].filter(Boolean).join(" ") || undefined;
}
