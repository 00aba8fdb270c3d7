import {
  type Call,
  CallOutcome,
  CallOutcomeSchema,
  CallService,
  OutcomeBasis,
} from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { createApiClient } from "../../api/client";
import { createResourceKindEventFilter } from "../../events/event-filters";
import { formatEnumValueAsWords } from "../../format/enum-text";
import { formatPhoneNumber } from "../../format/format-phone-number";
import { formatDuration } from "../../format/number-text";
import { currentRoute } from "../../routing/route";
import { Badge, type BadgeKind } from "../../ui/badge";
import type { TableColumn } from "../../ui/data-table";
import { EmptyNotice } from "../../ui/empty-notice";
import { LocalTime } from "../../ui/local-time";
import { PagedTable } from "../../ui/paged-table";
import { SourceText } from "../../ui/source-text";
import { usePagedList } from "../../ui/use-paged-list";
import { AccountFrame } from "../account-frame";
import { parseCallFilters } from "./call-filter";
import { CallFilters } from "./call-filters";
import { DownloadCallsButton } from "./download-calls-button";

const PAGE_SIZE = 500;
const OUTCOME_KINDS: Partial<Record<CallOutcome, BadgeKind>> = {
  [CallOutcome.ANSWERED]: "good",
  [CallOutcome.MISSED]: "bad",
  [CallOutcome.FAILED]: "bad",
  [CallOutcome.BUSY]: "warning",
};

const COLUMNS: readonly TableColumn<Call>[] = [
  { title: "Started", isHeader: true, cell: ({ startedAt }) => <LocalTime value={startedAt} /> },
  {
    title: "Caller",
    cell: ({ callerNumber }) =>
      callerNumber === undefined ? <span class="muted">no number</span> : formatPhoneNumber(callerNumber),
  },
  { title: "Source", cell: (call) => <SourceText {...call} /> },
  {
    title: "Outcome",
    cell: ({ outcome, outcomeBasis, rejectReason }) => (
      <>
        <Badge kind={OUTCOME_KINDS[outcome]}>{formatEnumValueAsWords(CallOutcomeSchema, outcome)}</Badge>
        {outcomeBasis === OutcomeBasis.TIMER && <span class="muted"> end not reported</span>}
        {rejectReason !== undefined && <span class="muted"> rejected: {rejectReason.toLowerCase()}</span>}
      </>
    ),
  },
  {
    title: "Duration",
    numeric: true,
    cell: ({ durationSeconds }) => (durationSeconds === undefined ? "–" : formatDuration(durationSeconds)),
  },
  { title: "Number dialed", wideOnly: true, cell: ({ trackingNumber }) => formatPhoneNumber(trackingNumber) },
  { title: "Property", wideOnly: true, cell: ({ propertyToken }) => propertyToken ?? "–" },
];

/** The calls to an account, newest first, with filters. */
export function CallsPage({ account }: { readonly account: string }) {
  const { query } = currentRoute.value;
  const fields = parseCallFilters(query);
  const list = usePagedList(
    `calls of ${account} ${query}`,
    (pageToken, signal) =>
      createApiClient(CallService).listCalls(
        { accountId: account, ...fields, pageSize: PAGE_SIZE, pageToken },
        { signal },
      ),
    { changedBy: createResourceKindEventFilter("call") },
  );
  return (
    <AccountFrame account={account} current="calls" actions={<DownloadCallsButton account={account} fields={fields} />}>
      <CallFilters violations={list.failure?.violations} />
      <PagedTable
        label="Calls"
        list={list}
        rowsOf={({ calls }) => calls}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={<EmptyNotice title={query.size === 0 ? "No calls yet" : "No call matches the filters"} />}
      />
    </AccountFrame>
  );
}
