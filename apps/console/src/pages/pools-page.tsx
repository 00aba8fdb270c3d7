import { PoolService, type PoolSummary, PoolTypeSchema } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { hasScope } from "../api/caller-identity";
import { createApiClient } from "../api/client";
import { createResourceKindEventFilter } from "../events/event-filters";
import { formatEnumValueAsWords } from "../format/enum-text";
import { formatPhoneNumber } from "../format/format-phone-number";
import { linkTo } from "../routing/route";
import { CapacityBar } from "../ui/capacity-bar";
import { CapacityLegend } from "../ui/capacity-legend";
import type { TableColumn } from "../ui/data-table";
import { EmptyNotice } from "../ui/empty-notice";
import { PagedTable } from "../ui/paged-table";
import { PoolWarnings } from "../ui/pool-warnings";
import { usePagedList } from "../ui/use-paged-list";
import { AccountFrame } from "./account-frame";

const PAGE_SIZE = 1000;

const REFRESH_MS = 5000;

export function PoolsPage({ account }: { readonly account: string }) {
  const list = usePagedList(
    `pools of ${account}`,
    (pageToken, signal) =>
      createApiClient(PoolService).listPoolSummaries(
        { accountId: account, pageSize: PAGE_SIZE, pageToken },
        { signal },
      ),
    { everyMs: REFRESH_MS, changedBy: createResourceKindEventFilter("account", "pool", "call_tracker") },
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
          <EmptyNotice title="No pools yet">
            A pool is a set of tracking numbers that stand in for one of the account's phone numbers.
          </EmptyNotice>
        }
        legend={<CapacityLegend />}
      />
    </AccountFrame>
  );
}

function columnsOf(account: string): readonly TableColumn<PoolSummary>[] {
  return [
    {
      title: "Original number",
      isHeader: true,
      cell: ({ id, originalNumber, description }) => (
        <>
          <a href={linkTo("accounts", account, "pools", id)}>{formatPhoneNumber(originalNumber)}</a>
          {description !== undefined && <span class="note">{description}</span>}
        </>
      ),
    },
    {
      title: "Property",
      wideOnly: true,
      cell: ({ propertyToken }) => propertyToken ?? <span class="muted">none</span>,
    },
    { title: "Type", wideOnly: true, cell: ({ poolType }) => formatEnumValueAsWords(PoolTypeSchema, poolType) },
    { title: "Call trackers", cell: (pool) => <CapacityBar {...pool} /> },
    { title: "Warnings", cell: (pool) => <PoolWarnings pool={pool} /> },
  ];
}
