import { CallFlowService, type CallStepExplanation } from "@calltrack/domain/gen/calltracking/v1/call_flow_pb";
import { useSignal } from "@preact/signals";
import { api } from "../../api/client";
import { useLoad } from "../../api/use-load";
import { eventsAbout } from "../../events/event-filters";
import { phoneNumberText, stripSpaces } from "../../format/phone-number-text";
import { Badge } from "../../ui/badge";
import { type Column, DataTable } from "../../ui/data-table";
import { Filters } from "../../ui/filters";
import { Loading } from "../../ui/loading";

interface CallStepsProps {
  /** The tracking number that is called, in E.164 format. */
  readonly number: string;
  /** The etag of the call flow: the steps are loaded again when it changes. */
  readonly etag: string;
}

/** The steps that a call to a tracking number would take now. The user can enter the caller, and a number that redirected the call. */
export function CallSteps({ number, etag }: CallStepsProps) {
  const [caller, redirecting] = [useSignal(""), useSignal("")];
  const callerNumber = stripSpaces(caller.value) || undefined;
  const redirectingNumber = stripSpaces(redirecting.value) || undefined;
  const loaded = useLoad(
    `steps of ${number} ${etag} ${callerNumber} ${redirectingNumber}`,
    (signal) =>
      api(CallFlowService).explainCall({ trackingNumber: number, callerNumber, redirectingNumber }, { signal }),
    { keepsOld: true, changedBy: eventsAbout("call_flow", "pool") },
  );
  const violations = loaded.failure?.violations ?? {};
  // While the user types a number, only its field shows the problem.
  const isInvalid = Object.keys(violations).length > 0;
  const numberFilter = { inputMode: "tel", placeholder: "+14155550100" } as const;
  return (
    <>
      <Filters
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
      <Loading of={isInvalid ? { ...loaded, failure: undefined } : loaded} what="the steps">
        {({ steps, phoneSystemId }) => (
          <>
            <DataTable
              label={`Steps of a call to ${phoneNumberText(number)}`}
              columns={COLUMNS}
              rows={steps}
              keyOf={({ step }) => step}
            />
            {phoneSystemId === undefined && (
              <p class="hint">
                The number is not connected to a phone system, so every step is assumed to be possible.
              </p>
            )}
          </>
        )}
      </Loading>
    </>
  );
}

const COLUMNS: readonly Column<CallStepExplanation>[] = [
  { title: "Step", isHeader: true, cell: ({ step }) => step.replaceAll("_", " ") },
  {
    title: "Takes place",
    cell: ({ isDone }) => <Badge kind={isDone ? "good" : "neutral"}>{isDone ? "yes" : "no"}</Badge>,
  },
  { title: "What happens", cell: ({ description }) => description },
];
