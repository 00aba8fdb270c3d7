import {
  type Call,
  CallOutcomeSchema,
  CallService,
  OutcomeBasisSchema,
} from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { useSignal } from "@preact/signals";
import { api } from "../../api/client";
import { csvLines } from "../../format/csv";
import { enumName } from "../../format/enum-text";
import { countOf } from "../../format/number-text";
import { saveFile } from "../../format/save-file";
import { dateOf } from "../../format/time-text";
import { ActionFailure } from "../../ui/notice";
import { useAction } from "../../ui/use-action";
import type { filterFields } from "./call-filter";

const COLUMNS: readonly (readonly [name: string, value: (call: Call) => string | number | undefined])[] = [
  ["started_at", ({ startedAt }) => dateOf(startedAt)?.toISOString()],
  ["answered_at", ({ answeredAt }) => dateOf(answeredAt)?.toISOString()],
  ["ended_at", ({ endedAt }) => dateOf(endedAt)?.toISOString()],
  ["duration_seconds", ({ durationSeconds }) => durationSeconds],
  ["outcome", ({ outcome }) => enumName(CallOutcomeSchema, outcome)],
  ["caller_number", ({ callerNumber }) => callerNumber],
  ["tracking_number", ({ trackingNumber }) => trackingNumber],
  ["original_number", ({ originalNumber }) => originalNumber],
  ["property_token", ({ propertyToken }) => propertyToken],
  ["source", ({ source }) => source],
  ["medium", ({ medium }) => medium],
  ["pool_id", ({ poolId }) => poolId],
  [
    "outcome_basis",
    ({ outcomeBasis = 0 }) => (outcomeBasis === 0 ? undefined : enumName(OutcomeBasisSchema, outcomeBasis)),
  ],
  ["reject_reason", ({ rejectReason }) => rejectReason],
  ["caller_attestation", ({ callerAttestation }) => callerAttestation],
  ["answered_by", ({ answeredBy }) => answeredBy],
  ["is_imported", ({ isImported }) => String(isImported)],
  ["phone_system_id", ({ phoneSystemId }) => phoneSystemId],
  ["call_id", ({ callId }) => callId],
  ["id", ({ id }) => id],
];

/** Calls are converted to text in batches of this size, so that memory never holds a million call objects at once. */
const PART_CALLS = 500;

/** After this time the download yields to the browser: otherwise a fast server would keep the page unresponsive until the last call. */
const MAX_BUSY_MS = 30;

interface DownloadCallsProps {
  readonly account: string;
  readonly fields: ReturnType<typeof filterFields>;
}

/** Downloads all calls that match the filters as CSV. Leaving the page or signing out cancels the download. */
export function DownloadCalls({ account, fields }: DownloadCallsProps) {
  const count = useSignal(0);
  const download = useAction("Downloading the calls", async (removed) => {
    // Each complete part is encoded at once. Encoding the whole file at the end would block the page for seconds.
    const parts = [new Blob([csvLines([COLUMNS.map(([name]) => name)])])];
    let calls: Call[] = [];
    const finishPart = () => {
      parts.push(new Blob([csvLines(calls.map((call) => COLUMNS.map(([, value]) => value(call))))]));
      count.value += calls.length;
      calls = [];
    };
    count.value = 0;
    let busySince = performance.now();
    for await (const call of api(CallService).exportCalls({ accountId: account, ...fields }, { signal: removed })) {
      if (calls.push(call) === PART_CALLS) finishPart();
      if (performance.now() - busySince < MAX_BUSY_MS) continue;
      await new Promise((resolve) => setTimeout(resolve));
      busySince = performance.now();
    }
    finishPart();
    // The last response may have arrived before the user left or signed out.
    removed.throwIfAborted();
    saveFile(`calls-${account}.csv`, parts);
  });
  return (
    <>
      <ActionFailure of={download} />
      <button type="button" aria-disabled={download.isRunning} onClick={() => download.run()}>
        {download.isRunning ? `Downloading… ${countOf(count.value, "call")}` : "Download CSV"}
      </button>
    </>
  );
}
