import {
  type ListWebhookDeliveriesResponse,
  type WebhookDelivery,
  WebhookDeliveryStatus,
  WebhookDeliveryStatusSchema,
  type WebhookEndpoint,
  WebhookEndpointService,
} from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import { useRef, useState } from "preact/hooks";
import { api } from "../../api/client";
import { enumEntries } from "../../format/enum-text";
import { countText } from "../../format/number-text";
import { dateOf, timeText } from "../../format/time-text";
import { route, setQuery } from "../../routing/route";
import type { Column } from "../../ui/data-table";
import { Empty } from "../../ui/empty";
import { Filters } from "../../ui/filters";
import { ActionFailure } from "../../ui/notice";
import { PagedTable } from "../../ui/paged-table";
import { Time } from "../../ui/time";
import { useAction } from "../../ui/use-action";
import { usePagedList } from "../../ui/use-paged-list";
import { DeliveryState } from "./delivery-state";
import { endpointIds } from "./endpoint-ids";
import { TestResult } from "./test-result";

const PAGE_SIZE = 100;

/** Deliveries leave no events, so the list is reloaded by time. */
const REFRESH_MS = 5000;

/** Time between reloads while deliveries are being sent. */
const SENDING_REFRESH_MS = 2000;

const STATUSES = enumEntries<WebhookDeliveryStatus>(WebhookDeliveryStatusSchema);

const ADVICE = "Check the deliveries before you press the button again.";

/** The deliveries to a webhook endpoint, newest first, with buttons that send a test event or a delivery again. */
export function Deliveries({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const name = endpointIds(endpoint);
  const status = STATUSES.find(([text]) => text === route.value.query.get("status"));
  const shown = useRef<ListWebhookDeliveriesResponse>(undefined);
  const isSending = endpoint.isActive && shown.current?.webhookDeliveries.some(isDue);
  const list = usePagedList(
    `deliveries ${endpoint.id} ${status?.[0]}`,
    async (pageToken, signal) => {
      const filter = status === undefined ? {} : { status: status[1] };
      const page = { pageSize: PAGE_SIZE, ...(pageToken !== undefined && { pageToken }) };
      shown.current = await api(WebhookEndpointService).listWebhookDeliveries(
        { ...name, ...filter, ...page },
        { signal },
      );
      return shown.current;
    },
    { everyMs: isSending ? SENDING_REFRESH_MS : REFRESH_MS, keepsOld: true },
  );
  const [tested, setTested] = useState<string>();
  const test = useAction("Sending a test event", async () => {
    const { id } = await api(WebhookEndpointService).testWebhookEndpoint(name);
    setTested(id);
    list.reload();
  });
  const redeliver = useAction("Sending the event again", async (_, { id }: WebhookDelivery) => {
    await api(WebhookEndpointService).redeliverWebhookDelivery({ ...name, webhookDeliveryId: id });
    list.reload();
  });
  return (
    <div class="stack">
      <div class="table-head">
        <h2>Deliveries</h2>
        {endpoint.isActive && (
          <button type="button" class="primary" aria-disabled={test.isRunning} onClick={() => test.run()}>
            Send test event
          </button>
        )}
      </div>
      <ActionFailure of={test} advice={ADVICE} />
      {tested !== undefined && <TestResult key={tested} endpoint={endpoint} deliveryId={tested} />}
      <Filters filters={[statusFilter(status?.[0])]} />
      <ActionFailure of={redeliver} advice={ADVICE} />
      <PagedTable
        label="Deliveries"
        list={list}
        rowsOf={({ webhookDeliveries }) => webhookDeliveries}
        columns={endpoint.isActive ? [...COLUMNS, actionColumn(redeliver)] : COLUMNS}
        keyOf={({ id }) => id}
        empty={
          <Empty title={status === undefined ? "No deliveries yet" : "No delivery matches the filter"}>
            A delivery is one event on its way to this webhook endpoint.
          </Empty>
        }
      />
    </div>
  );
}

/** Whether the delivery is being sent, or its next attempt is due. */
function isDue({ status, nextAttemptAt }: WebhookDelivery): boolean {
  const next = dateOf(nextAttemptAt);
  return status === WebhookDeliveryStatus.WAITING && next !== undefined && next.getTime() <= Date.now();
}

function statusFilter(status = "") {
  return {
    ...{ label: "Status", name: "status", value: status },
    onChange: (value: string) => setQuery({ status: value }),
    options: [["", "any"] as const, ...STATUSES.map(([text]) => [text, text] as const)],
  };
}

const COLUMNS: readonly Column<WebhookDelivery>[] = [
  {
    title: "Event",
    isHeader: true,
    cell: ({ id, event }) =>
      event === undefined ? (
        <span class="muted">{id}, event expired</span>
      ) : (
        <div class="urls">
          {event.type}
          <span class="note">{event.subject}</span>
        </div>
      ),
  },
  { title: "Time", cell: ({ event }) => <Time value={event?.occurredAt} /> },
  { title: "Attempts", numeric: true, cell: ({ attempts }) => countText(attempts) },
  { title: "Status", cell: (delivery) => <DeliveryState {...delivery} /> },
];

interface Redelivery {
  readonly isRunning: boolean;
  run(delivery: WebhookDelivery): Promise<void>;
}

function actionColumn({ isRunning, run }: Redelivery): Column<WebhookDelivery> {
  return {
    title: "Action",
    cell: (delivery) => {
      const { event } = delivery;
      const time = dateOf(event?.occurredAt);
      if (event === undefined || time === undefined) return "–";
      return (
        <button
          type="button"
          class="small"
          aria-label={`Send again: ${event.type} from ${timeText(time)}`}
          aria-disabled={isRunning}
          onClick={() => run(delivery)}
        >
          Send again
        </button>
      );
    },
  };
}
