import {
  type Call,
  CallOutcomeSchema,
  CallService,
  OutcomeBasisSchema,
} from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { useSignal } from "@preact/signals";
import { createApiClient } from "../../api/client";
import { formatCsv } from "../../format/csv";
import { downloadCsvFile } from "../../format/download-csv-file";
import { getEnumValueName } from "../../format/enum-text";
import { formatCountWithNoun } from "../../format/number-text";
import { timestampToDate } from "../../format/time-text";
import { ActionFailureNotice } from "../../ui/notice";
import { useAction } from "../../ui/use-action";
import type { parseCallFilters } from "./call-filter";

const COLUMNS: readonly (readonly [name: string, value: (call: Call) => string | number | undefined])[] = [
  ["started_at", ({ startedAt }) => timestampToDate(startedAt)?.toISOString()],
  ["answered_at", ({ answeredAt }) => timestampToDate(answeredAt)?.toISOString()],
  ["ended_at", ({ endedAt }) => timestampToDate(endedAt)?.toISOString()],
  ["duration_seconds", ({ durationSeconds }) => durationSeconds],
  ["outcome", ({ outcome }) => getEnumValueName(CallOutcomeSchema, outcome)],
  ["caller_number", ({ callerNumber }) => callerNumber],
  ["tracking_number", ({ trackingNumber }) => trackingNumber],
  ["original_number", ({ originalNumber }) => originalNumber],
  ["property_token", ({ propertyToken }) => propertyToken],
  ["source", ({ source }) => source],
  ["medium", ({ medium }) => medium],
  ["pool_id", ({ poolId }) => poolId],
  [
    "outcome_basis",
    ({ outcomeBasis = 0 }) => (outcomeBasis === 0 ? undefined : getEnumValueName(OutcomeBasisSchema, outcomeBasis)),
  ],
  ["reject_reason", ({ rejectReason }) => rejectReason],
  ["caller_attestation", ({ callerAttestation }) => callerAttestation],
  ["answered_by", ({ answeredBy }) => answeredBy],
  ["is_imported", ({ isImported }) => String(isImported)],
  ["phone_system_id", ({ phoneSystemId }) => phoneSystemId],
  ["call_id", ({ callId }) => callId],
  ["id", ({ id }) => id],
];

/** Number of calls to convert to CSV at a time, so that memory never holds a million call objects. */
const PART_CALLS = 500;

/** How long the download runs before it yields to the browser. Without pauses, a fast server would block the page until the last call. */
const MAX_BUSY_MS = 30;

interface DownloadCallsProps {
  readonly account: string;
  readonly fields: ReturnType<typeof parseCallFilters>;
}

/** A button that downloads all calls that match the filters as CSV. Leaving the page or signing out cancels the download. */
export function DownloadCallsButton({ account, fields }: DownloadCallsProps) {
  const count = useSignal(0);
  const download = useAction("Downloading the calls", async (removed) => {
    // Each part is encoded when it is complete. Encoding the whole file at the end would block the page for seconds.
    const parts = [new Blob([formatCsv([COLUMNS.map(([name]) => name)])])];
    let calls: Call[] = [];
    const finishPart = () => {
      parts.push(new Blob([formatCsv(calls.map((call) => COLUMNS.map(([, value]) => value(call))))]));
      count.value += calls.length;
      calls = [];
    };
    count.value = 0;
    let busySince = performance.now();
    for await (const call of createApiClient(CallService).exportCalls(
      { accountId: account, ...fields },
      { signal: removed },
    )) {
      if (calls.push(call) === PART_CALLS) finishPart();
      if (performance.now() - busySince < MAX_BUSY_MS) continue;
      await new Promise((resolve) => setTimeout(resolve));
      busySince = performance.now();
    }
    finishPart();
    // Leaving the page or signing out must cancel the download even after the last call has arrived.
    removed.throwIfAborted();
    downloadCsvFile(`calls-${account}.csv`, parts);
  });
  return (
    <>
      <ActionFailureNotice of={download} />
      <button type="button" aria-disabled={download.isRunning} onClick={() => download.run()}>
        {download.isRunning ? `Downloading… ${formatCountWithNoun(count.value, "call")}` : "Download CSV"}
      </button>
    </>
  );
}
