import type { ComponentChildren, RefObject } from "preact";
import { useRef } from "preact/hooks";
import { useStackedRows } from "./use-stacked-rows";
import { useVirtualizer } from "./use-virtualizer";

/** A column of a table. */
export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => ComponentChildren;
  /** Numbers are aligned at the end. */
  readonly numeric?: boolean;
  /** Whether a phone leaves the column out, if the rest of the table fits then. */
  readonly wideOnly?: boolean;
  /** Whether the cell names the row. */
  readonly isHeader?: boolean;
}

/** The rows and columns of a table. */
export interface DataTableProps<T> {
  /** Names the rows, such as `Accounts`. */
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T, index: number) => string;
  /** The class of a row, such as one that begins a part of the table. */
  readonly rowClass?: ((row: T) => string | undefined) | undefined;
  /** Shown instead of a table without rows. */
  readonly empty?: ComponentChildren;
}

/** A table with more rows is drawn only where it is visible. */
const MAX_DRAWN_ROWS = 120;

const ROW_PX = 45;

/** A table. A long one scrolls within itself and draws only the visible rows. */
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
  /** The rows with the head of a table that draws only some of them. */
  readonly rowCount?: number;
  readonly children: ComponentChildren;
}

/** A table with its head, in an element that scrolls. */
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
  readonly columns: readonly Column<T>[];
  readonly row: T;
  readonly className: string | undefined;
  /** Place in a table that draws only some rows. */
  readonly index?: number;
  /** Called with the row's element, and with null when it is removed. */
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

/** Keeps the place of rows that are not drawn. */
function Spacer({ height, columns }: { readonly height: number; readonly columns: number }) {
  if (height <= 0) return null;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: the row is empty and cannot be focused
    <tr aria-hidden="true" class="spacer">
      <td colSpan={columns} style={{ height: `${height}px` }} />
    </tr>
  );
}

function classOf<T>({ numeric, wideOnly }: Column<T>): string | undefined {
  return [numeric ? "numeric" : "", wideOnly ? "wide-only" : ""].filter(Boolean).join(" ") || undefined;
}
