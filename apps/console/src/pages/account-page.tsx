import { PoolService, type PoolSummary, PoolTypeSchema } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { api } from "../api/client";
import { hasScope } from "../api/identity";
import { eventsAbout } from "../events/event-filters";
import { enumText } from "../format/enum-text";
import { phoneNumberText } from "../format/phone-number-text";
import { linkTo } from "../routing/route";
import { CapacityBar } from "../ui/capacity-bar";
import { CapacityLegend } from "../ui/capacity-legend";
import type { Column } from "../ui/data-table";
import { Empty } from "../ui/empty";
import { PagedTable } from "../ui/paged-table";
import { PoolWarnings } from "../ui/pool-warnings";
import { usePagedList } from "../ui/use-paged-list";
import { AccountFrame } from "./account-frame";

const PAGE_SIZE = 1000;

const REFRESH_MS = 5000;

export function AccountPage({ account }: { readonly account: string }) {
  const list = usePagedList(
    `pools of ${account}`,
    (pageToken, signal) =>
      api(PoolService).listPoolSummaries({ accountId: account, pageSize: PAGE_SIZE, pageToken }, { signal }),
    { everyMs: REFRESH_MS, changedBy: eventsAbout("account", "pool", "call_tracker") },
  );
  const newPool = (
    <a class="button primary" href={linkTo("accounts", account, "pools", "new")}>
      New pool
    </a>
  );
  return (
    <AccountFrame account={account} current="pools" actions={hasScope("write") && newPool}>
      <PagedTable
        label="Pools"
        list={list}
        rowsOf={({ poolSummaries }) => poolSummaries}
        columns={columnsOf(account)}
        keyOf={({ id }) => id}
        empty={
          <Empty title="No pools yet">
            A pool is a set of tracking numbers that stand in for one of the account's phone numbers.
          </Empty>
        }
        legend={<CapacityLegend />}
      />
    </AccountFrame>
  );
}

function columnsOf(account: string): readonly Column<PoolSummary>[] {
  return [
    {
      title: "Original number",
      isHeader: true,
      cell: ({ id, originalNumber, description }) => (
        <>
          <a href={linkTo("accounts", account, "pools", id)}>{phoneNumberText(originalNumber)}</a>
          {description !== undefined && <span class="note">{description}</span>}
        </>
      ),
    },
    {
      title: "Property",
      wideOnly: true,
      cell: ({ propertyToken }) => propertyToken ?? <span class="muted">none</span>,
    },
    { title: "Type", wideOnly: true, cell: ({ poolType }) => enumText(PoolTypeSchema, poolType) },
    { title: "Call trackers", cell: (pool) => <CapacityBar {...pool} /> },
    { title: "Warnings", cell: (pool) => <PoolWarnings pool={pool} /> },
  ];
}
