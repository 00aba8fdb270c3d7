import type { TrackingNumberCount } from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import { useSignal } from "@preact/signals";
import { useLoad } from "../../api/use-load";
import { createResourceKindEventFilter } from "../../events/event-filters";
import { formatPhoneNumber } from "../../format/format-phone-number";
import { formatCount, formatCountWithNoun } from "../../format/number-text";
import { linkTo } from "../../routing/route";
import { DataTable, type TableColumn } from "../../ui/data-table";
import { EmptyNotice } from "../../ui/empty-notice";
import { LoadedView } from "../../ui/loaded-view";
import { Notice } from "../../ui/notice";
import { findUnfilledPools, type UnfilledPool } from "./find-unfilled-pools";

/** Number of accounts to search until the user presses "Check more accounts". */
const FIRST_ACCOUNTS = 50;
const MORE_ACCOUNTS = 1000;

export function UnfilledPoolList({ counts }: { readonly counts: readonly TrackingNumberCount[] }) {
  const limit = useSignal(FIRST_ACCOUNTS);
  const loaded = useLoad(`pools that lack numbers ${limit.value}`, (signal) => findUnfilledPools(limit.value, signal), {
    changedBy: createResourceKindEventFilter("account", "pool", "call_tracker"),
  });
  return (
    <LoadedView of={loaded} what="the pools that lack numbers">
      {({ pools, accounts, hasMore }) => (
        <>
          {hasMore && (
            <Notice kind="info">
              Only the pools of the first {formatCount(accounts)} accounts were checked.{" "}
              <button type="button" class="small" onClick={() => (limit.value += MORE_ACCOUNTS)}>
                Check more accounts
              </button>
            </Notice>
          )}
          {pools.length === 0 ? (
            <EmptyNotice title="No pool lacks numbers" />
          ) : (
            <>
              <p>{totals(pools, counts)}</p>
              <DataTable label="Pools that lack numbers" columns={COLUMNS} rows={pools} keyOf={({ pool }) => pool.id} />
            </>
          )}
        </>
      )}
    </LoadedView>
  );
}

const COLUMNS: readonly TableColumn<UnfilledPool>[] = [
  {
    title: "Pool",
    isHeader: true,
    cell: ({ account, pool }) => (
      <a href={linkTo("accounts", account, "pools", pool.id)}>{formatPhoneNumber(pool.originalNumber)}</a>
    ),
  },
  { title: "Account", cell: ({ account }) => account },
  { title: "Area code", numeric: true, cell: ({ pool }) => pool.areaCode },
  { title: "Missing numbers", numeric: true, cell: ({ missing }) => formatCount(missing) },
];

/** Returns text for each area code, such as `Area code 628: 3 numbers missing, 1 free`. */
function totals(pools: readonly UnfilledPool[], counts: readonly TrackingNumberCount[]): string {
  const sums = Map.groupBy(pools, ({ pool }) => pool.areaCode);
  return Array.from(sums, ([areaCode, unfilled]) => {
    const missing = unfilled.reduce((sum, pool) => sum + pool.missing, 0);
    const free = counts.find((count) => count.areaCode === areaCode)?.free ?? 0;
    return `Area code ${areaCode}: ${formatCountWithNoun(missing, "number")} missing, ${formatCount(free)} free`;
  }).join(". ");
}
