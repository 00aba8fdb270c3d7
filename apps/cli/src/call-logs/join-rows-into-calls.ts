import type { ImportRow, RowGroup, RowGroupContent } from "../import/import-row.js";
import type { CallLeg } from "./call-leg.js";

/** A call counts as complete once this many rows have followed its last row. */
const WINDOW_ROWS = 10_000;

interface OpenCall {
  readonly legs: CallLeg[];
  /** The position of the call's last row in the file. */
  lastRow: number;
}

/**
 * Joins the rows of each call. Keeps only the calls of the last {@link WINDOW_ROWS} rows in memory, so memory use does not grow with the file.
 *
 * If two rows of a call are further apart, the call becomes two records with the same call id.
 */
export async function* joinRowsIntoCalls(
  rows: AsyncIterable<ImportRow>,
  legOf: (row: ImportRow) => CallLeg,
  contentOf: (legs: readonly CallLeg[]) => RowGroupContent,
  windowRows = WINDOW_ROWS,
): AsyncGenerator<RowGroup> {
  const byKey = new Map<string, OpenCall>();
  // The calls in the order of `lastRow`: each new row moves its call to the end of the set.
  const open = new Set<OpenCall>();
  let rowCount = 0;
  for await (const row of rows) {
    rowCount += 1;
    const leg = legOf(row);
    const call = callOf(leg);
    call.legs.push(leg);
    for (const key of leg.keys) byKey.set(key, call);
    call.lastRow = rowCount;
    open.delete(call);
    open.add(call);
    for (const oldest of open) {
      if (oldest.lastRow > rowCount - windowRows) break;
      yield close(oldest);
    }
  }
  for (const call of open) yield close(call);

  /**
   * Returns the open call that shares a key with the leg, or a new call. If several open calls share a key with the leg, merges them into the largest
   * call, so that few legs move.
   */
  function callOf({ keys }: CallLeg): OpenCall {
    const calls = new Set(keys.map((key) => byKey.get(key)).filter((call) => call !== undefined));
    const [largest = { legs: [], lastRow: 0 }, ...others] = [...calls].sort(
      (one, other) => other.legs.length - one.legs.length,
    );
    for (const other of others) {
      open.delete(other);
      for (const leg of other.legs) {
        largest.legs.push(leg);
        for (const key of leg.keys) byKey.set(key, largest);
      }
    }
    return largest;
  }

  function close(call: OpenCall): RowGroup {
    open.delete(call);
    for (const { keys } of call.legs) for (const key of keys) byKey.delete(key);
    const legs = call.legs.toSorted((one, other) => one.row.line - other.row.line);
    return { rows: legs.map(({ row }) => row), content: contentOf(legs) };
  }
}
