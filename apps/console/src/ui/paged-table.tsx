import type { ComponentChildren } from "preact";
import { DataTable, type DataTableProps } from "./data-table";
import { LoadedView } from "./loaded-view";
import { Pager } from "./pager";
import type { PagedList } from "./use-paged-list";

interface PagedTableProps<P, T> extends Omit<DataTableProps<T>, "rows"> {
  readonly list: PagedList<P>;
  readonly rowsOf: (page: P) => readonly T[];
  readonly legend?: ComponentChildren;
}

/** One page of a list as a table, with buttons for the previous and next page. */
export function PagedTable<P, T>({ list, rowsOf, legend, ...table }: PagedTableProps<P, T>) {
  const what = table.label.toLowerCase();
  return (
    <>
      <LoadedView of={list} what={what}>
        {(page) => (
          <>
            {rowsOf(page).length > 0 && legend}
            <DataTable {...table} rows={rowsOf(page)} />
          </>
        )}
      </LoadedView>
      <Pager what={what} list={list} />
    </>
  );
}
