import {
  type Call,
  CallOutcome,
  CallOutcomeSchema,
  CallService,
  OutcomeBasis,
} from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { api } from "../../api/client";
import { eventsAbout } from "../../events/event-filters";
import { enumText } from "../../format/enum-text";
import { durationText } from "../../format/number-text";
import { phoneNumberText } from "../../format/phone-number-text";
import { route } from "../../routing/route";
import { Badge, type BadgeKind } from "../../ui/badge";
import type { Column } from "../../ui/data-table";
import { Empty } from "../../ui/empty";
import { PagedTable } from "../../ui/paged-table";
import { Source } from "../../ui/source";
import { Time } from "../../ui/time";
import { usePagedList } from "../../ui/use-paged-list";
import { AccountFrame } from "../account-frame";
import { filterFields } from "./call-filter";
import { CallFilters } from "./call-filters";
import { DownloadCalls } from "./download-calls";

const PAGE_SIZE = 500;
const OUTCOME_KINDS: Partial<Record<CallOutcome, BadgeKind>> = {
  [CallOutcome.ANSWERED]: "good",
  [CallOutcome.MISSED]: "bad",
  [CallOutcome.FAILED]: "bad",
  [CallOutcome.BUSY]: "warning",
};

const COLUMNS: readonly Column<Call>[] = [
  { title: "Started", isHeader: true, cell: ({ startedAt }) => <Time value={startedAt} /> },
  {
    title: "Caller",
    cell: ({ callerNumber }) =>
      callerNumber === undefined ? <span class="muted">no number</span> : phoneNumberText(callerNumber),
  },
  { title: "Source", cell: (call) => <Source {...call} /> },
  {
    title: "Outcome",
    cell: ({ outcome, outcomeBasis, rejectReason }) => (
      <>
        <Badge kind={OUTCOME_KINDS[outcome]}>{enumText(CallOutcomeSchema, outcome)}</Badge>
        {outcomeBasis === OutcomeBasis.TIMER && <span class="muted"> end not reported</span>}
        {rejectReason !== undefined && <span class="muted"> rejected: {rejectReason.toLowerCase()}</span>}
      </>
    ),
  },
  {
    title: "Duration",
    numeric: true,
    cell: ({ durationSeconds }) => (durationSeconds === undefined ? "–" : durationText(durationSeconds)),
  },
  { title: "Number dialed", wideOnly: true, cell: ({ trackingNumber }) => phoneNumberText(trackingNumber) },
  { title: "Property", wideOnly: true, cell: ({ propertyToken }) => propertyToken ?? "–" },
];

/** The calls to an account, newest first, with filters. */
export function CallsPage({ account }: { readonly account: string }) {
  const { query } = route.value;
  const fields = filterFields(query);
  const list = usePagedList(
    `calls of ${account} ${query}`,
    (pageToken, signal) =>
      api(CallService).listCalls({ accountId: account, ...fields, pageSize: PAGE_SIZE, pageToken }, { signal }),
    { changedBy: eventsAbout("call") },
  );
  return (
    <AccountFrame account={account} current="calls" actions={<DownloadCalls account={account} fields={fields} />}>
      <CallFilters violations={list.failure?.violations} />
      <PagedTable
        label="Calls"
        list={list}
        rowsOf={({ calls }) => calls}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={<Empty title={query.size === 0 ? "No calls yet" : "No call matches the filters"} />}
      />
    </AccountFrame>
  );
}
