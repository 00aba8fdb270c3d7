import { CallTrackerStatus, CallTrackerStatusSchema } from "@calltrack/domain/gen/calltracking/v1/call_tracker_pb";
import {
  type Pool,
  type PoolExplanation,
  PoolService,
  PoolType,
  type SourceExplanation,
} from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { createApiClient } from "../../api/client";
import { useLoad } from "../../api/use-load";
import { createPoolEventFilter } from "../../events/event-filters";
import { formatEnumValueAsWords } from "../../format/enum-text";
import { formatPhoneNumber } from "../../format/format-phone-number";
import { formatCountWithNoun } from "../../format/number-text";
import { Badge, type BadgeKind } from "../../ui/badge";
import { DataTable, type TableColumn } from "../../ui/data-table";
import { EmptyNotice } from "../../ui/empty-notice";
import { LoadedView } from "../../ui/loaded-view";
import { Notice } from "../../ui/notice";
import { ReasonText } from "../../ui/reason-text";
import { SourceText } from "../../ui/source-text";
import { PoolFacts } from "./pool-facts";
import { RetiringTrackerTable } from "./retiring-tracker-table";
import { VisitsBar } from "./visits-bar";

const REFRESH_MS = 5000;

/** The sources of a pool with their visits and numbers, and the reason why each has a number or none. */
export function SourcesTab({ pool }: { readonly pool: Pool }) {
  const loaded = useLoad(
    `explanation ${pool.id}`,
    (signal) => createApiClient(PoolService).explainPool({ accountId: pool.accountToken, poolId: pool.id }, { signal }),
    { everyMs: REFRESH_MS, changedBy: createPoolEventFilter(pool.id), hasVisits: true },
  );
  return (
    <LoadedView of={loaded} what="the explanation">
      {(explanation) => (
        <>
          <Warnings explanation={explanation} />
          <PoolFacts pool={pool} explanation={explanation} />
          <h2>Sources</h2>
          <Sources pool={pool} explanation={explanation} />
          {explanation.retiring.length > 0 && <RetiringTrackerTable rows={explanation.retiring} />}
        </>
      )}
    </LoadedView>
  );
}

function Warnings({ explanation: { warnings, isFrozen, lastFailure } }: { readonly explanation: PoolExplanation }) {
  return (
    <>
      {isFrozen && (
        <Notice kind="info" title="Frozen">
          Call tracking is disabled for the account, so no call tracker changes.
        </Notice>
      )}
      {lastFailure !== undefined && (
        <Notice kind="error" title="The last pass failed">
          {lastFailure}
        </Notice>
      )}
      {warnings.map((warning) => (
        <Notice key={warning} kind="warning">
          <ReasonText text={`${warning.charAt(0).toUpperCase()}${warning.slice(1)}.`} />
        </Notice>
      ))}
    </>
  );
}

interface SourcesProps {
  readonly pool: Pool;
  readonly explanation: PoolExplanation;
}

function Sources({ pool, explanation }: SourcesProps) {
  const { sources, servesAtMost, visitsNeeded, windowDays } = explanation;
  if (sources.length === 0) {
    return (
      <EmptyNotice title={`No visits in the last ${formatCountWithNoun(windowDays, "day")}`}>
        {pool.poolType === PoolType.MANUAL
          ? "Visits do not affect a manual pool: people activate and flag its call trackers."
          : "Sources appear here when their visits are recorded."}
      </EmptyNotice>
    );
  }
  const beyond = sources.find(({ rank }) => rank !== undefined && rank > servesAtMost);
  return (
    <>
      <p class="muted">
        Visits in the last {formatCountWithNoun(windowDays, "day")}. The pool serves at most{" "}
        {formatCountWithNoun(servesAtMost, "source")}
        {beyond !== undefined && " (above the thick line)"}
        {visitsNeeded !== undefined &&
          `, each with at least ${formatCountWithNoun(Number(visitsNeeded), "visit")} (the mark in the bars)`}
        .
      </p>
      <DataTable
        label="Sources"
        columns={columnsOf(explanation)}
        rows={sources}
        keyOf={({ source, medium }) => JSON.stringify([source, medium])}
        rowClass={(row) => (row === beyond ? "capacity-line" : undefined)}
      />
    </>
  );
}

function columnsOf({ sources, visitsNeeded }: PoolExplanation): readonly TableColumn<SourceExplanation>[] {
  const most = Math.max(...sources.map(({ visits }) => Number(visits)), Number(visitsNeeded ?? 0), 1);
  return [
    { title: "Rank", numeric: true, cell: ({ rank }) => rank ?? "–" },
    { title: "Source", isHeader: true, cell: (row) => <SourceText {...row} /> },
    {
      title: "Visits",
      numeric: true,
      cell: ({ visits }) => (
        <VisitsBar
          visits={Number(visits)}
          most={most}
          needed={visitsNeeded === undefined ? undefined : Number(visitsNeeded)}
        />
      ),
    },
    {
      title: "Number",
      cell: ({ trackingNumber }) =>
        trackingNumber === undefined ? <span class="muted">none</span> : formatPhoneNumber(trackingNumber),
    },
    { title: "State", cell: (row) => <SourceState row={row} /> },
    { title: "Why", wideOnly: true, cell: ({ reason }) => <ReasonText text={reason} /> },
  ];
}

const STATUS_KINDS: Partial<Record<CallTrackerStatus, BadgeKind>> = {
  [CallTrackerStatus.ACTIVE]: "good",
  [CallTrackerStatus.FLAGGED]: "warning",
};

function SourceState({ row: { status, isServed, reason } }: { readonly row: SourceExplanation }) {
  const served = isServed ? "served" : "not served";
  const text =
    status === CallTrackerStatus.UNSPECIFIED ? served : formatEnumValueAsWords(CallTrackerStatusSchema, status);
  return (
    <span title={reason}>
      <Badge kind={STATUS_KINDS[status]}>{text}</Badge>
    </span>
  );
}
