import { CallFlowService, type CallStepExplanation } from "@calltrack/domain/gen/calltracking/v1/call_flow_pb";
import { useSignal } from "@preact/signals";
import { createApiClient } from "../../api/client";
import { useLoad } from "../../api/use-load";
import { createResourceKindEventFilter } from "../../events/event-filters";
import { formatPhoneNumber, stripSpaces } from "../../format/format-phone-number";
import { Badge } from "../../ui/badge";
import { DataTable, type TableColumn } from "../../ui/data-table";
import { FilterBar } from "../../ui/filter-bar";
import { LoadedView } from "../../ui/loaded-view";

interface CallStepsProps {
  /** The tracking number that is called, in E.164 format. */
  readonly number: string;
  /** The etag of the call flow. When it changes, the steps are loaded again. */
  readonly etag: string;
}

/** The steps that a call to a tracking number would take at the current time, with inputs for the caller's number and the redirecting number. */
export function CallSteps({ number, etag }: CallStepsProps) {
  const [caller, redirecting] = [useSignal(""), useSignal("")];
  const callerNumber = stripSpaces(caller.value) || undefined;
  const redirectingNumber = stripSpaces(redirecting.value) || undefined;
  const loaded = useLoad(
    `steps of ${number} ${etag} ${callerNumber} ${redirectingNumber}`,
    (signal) =>
      createApiClient(CallFlowService).explainCall(
        { trackingNumber: number, callerNumber, redirectingNumber },
        { signal },
      ),
    { keepsOld: true, changedBy: createResourceKindEventFilter("call_flow", "pool") },
  );
  const violations = loaded.failure?.violations ?? {};
  // While the user types a number, only the input shows that it is invalid, and the steps stay visible.
  const isInvalid = Object.keys(violations).length > 0;
  const numberFilter = { inputMode: "tel", placeholder: "+14155550100" } as const;
  return (
    <>
      <FilterBar
        violations={violations}
        filters={[
          {
            ...{ label: "Caller", name: "caller_number", value: caller.value, ...numberFilter },
            onChange: (text) => {
              caller.value = text;
            },
          },
          {
            ...{ label: "Redirected by", name: "redirecting_number", value: redirecting.value, ...numberFilter },
            onChange: (text) => {
              redirecting.value = text;
            },
          },
        ]}
      />
      <LoadedView of={isInvalid ? { ...loaded, failure: undefined } : loaded} what="the steps">
        {({ steps, phoneSystemId }) => (
          <>
            <DataTable
              label={`Steps of a call to ${formatPhoneNumber(number)}`}
              columns={COLUMNS}
              rows={steps}
              keyOf={({ step }) => step}
            />
            {phoneSystemId === undefined && (
              <p class="hint">
                The number is not connected to a phone system, so the explanation assumes that every step is possible.
              </p>
            )}
          </>
        )}
      </LoadedView>
    </>
  );
}

const COLUMNS: readonly TableColumn<CallStepExplanation>[] = [
  { title: "Step", isHeader: true, cell: ({ step }) => step.replaceAll("_", " ") },
  {
    title: "Takes place",
    cell: ({ isDone }) => <Badge kind={isDone ? "good" : "neutral"}>{isDone ? "yes" : "no"}</Badge>,
  },
  { title: "What happens", cell: ({ description }) => description },
];
