import type { TrackingNumberCount } from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import { useSignal } from "@preact/signals";
import { useLoad } from "../../api/use-load";
import { eventsAbout } from "../../events/event-filters";
import { countOf, countText } from "../../format/number-text";
import { phoneNumberText } from "../../format/phone-number-text";
import { linkTo } from "../../routing/route";
import { type Column, DataTable } from "../../ui/data-table";
import { Empty } from "../../ui/empty";
import { Loading } from "../../ui/loading";
import { Notice } from "../../ui/notice";
import { findUnfilledPools, type UnfilledPool } from "./find-unfilled-pools";

/** Number of accounts to search before the user asks for more. */
const FIRST_ACCOUNTS = 50;
const MORE_ACCOUNTS = 1000;

export function MissingNumbers({ counts }: { readonly counts: readonly TrackingNumberCount[] }) {
  const limit = useSignal(FIRST_ACCOUNTS);
  const loaded = useLoad(`pools that lack numbers ${limit.value}`, (signal) => findUnfilledPools(limit.value, signal), {
    changedBy: eventsAbout("account", "pool", "call_tracker"),
  });
  return (
    <Loading of={loaded} what="the pools that lack numbers">
      {({ pools, accounts, hasMore }) => (
        <>
          {hasMore && (
            <Notice kind="info">
              Only the pools of the first {countText(accounts)} accounts were checked.{" "}
              <button type="button" class="small" onClick={() => (limit.value += MORE_ACCOUNTS)}>
                Check more accounts
              </button>
            </Notice>
          )}
          {pools.length === 0 ? (
            <Empty title="No pool lacks numbers" />
          ) : (
            <>
              <p>{totals(pools, counts)}</p>
              <DataTable label="Pools that lack numbers" columns={COLUMNS} rows={pools} keyOf={({ pool }) => pool.id} />
            </>
          )}
        </>
      )}
    </Loading>
  );
}

const COLUMNS: readonly Column<UnfilledPool>[] = [
  {
    title: "Pool",
    isHeader: true,
    cell: ({ account, pool }) => (
      <a href={linkTo("accounts", account, "pools", pool.id)}>{phoneNumberText(pool.originalNumber)}</a>
    ),
  },
  { title: "Account", cell: ({ account }) => account },
  { title: "Area code", numeric: true, cell: ({ pool }) => pool.areaCode },
  { title: "Missing numbers", numeric: true, cell: ({ missing }) => countText(missing) },
];

/** Returns text for each area code, such as `Area code 628: 3 numbers missing, 1 free`. */
function totals(pools: readonly UnfilledPool[], counts: readonly TrackingNumberCount[]): string {
  const sums = Map.groupBy(pools, ({ pool }) => pool.areaCode);
  return Array.from(sums, ([areaCode, unfilled]) => {
    const missing = unfilled.reduce((sum, pool) => sum + pool.missing, 0);
    const free = counts.find((count) => count.areaCode === areaCode)?.free ?? 0;
    return `Area code ${areaCode}: ${countOf(missing, "number")} missing, ${countText(free)} free`;
  }).join(". ");
}
