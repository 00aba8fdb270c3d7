import {
  type ListWebhookDeliveriesResponse,
  type WebhookDelivery,
  WebhookDeliveryStatus,
  WebhookDeliveryStatusSchema,
  type WebhookEndpoint,
  WebhookEndpointService,
} from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import { useRef, useState } from "preact/hooks";
import { createApiClient } from "../../api/client";
import { listEnumValues } from "../../format/enum-text";
import { formatCount } from "../../format/number-text";
import { formatTime, timestampToDate } from "../../format/time-text";
import { currentRoute, setQueryParameters } from "../../routing/route";
import type { TableColumn } from "../../ui/data-table";
import { EmptyNotice } from "../../ui/empty-notice";
import { FilterBar } from "../../ui/filter-bar";
import { LocalTime } from "../../ui/local-time";
import { ActionFailureNotice } from "../../ui/notice";
import { PagedTable } from "../../ui/paged-table";
import { useAction } from "../../ui/use-action";
import { usePagedList } from "../../ui/use-paged-list";
import { DeliveryState } from "./delivery-state";
import { createEndpointIdFields } from "./endpoint-id-fields";
import { TestEventResult } from "./test-event-result";

const PAGE_SIZE = 100;

/** Time between reloads of the delivery list. Deliveries cause no events in the console's event feed, so the list is reloaded periodically. */
const REFRESH_MS = 5000;

/** Time between reloads of the delivery list while a delivery is being sent or its next attempt is due. */
const SENDING_REFRESH_MS = 2000;

const STATUSES = listEnumValues<WebhookDeliveryStatus>(WebhookDeliveryStatusSchema);

const ADVICE = "Check the deliveries before you press the button again.";

/** The deliveries to a webhook endpoint, newest first, with a button that sends a test event and buttons that repeat a delivery. */
export function DeliveryList({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const name = createEndpointIdFields(endpoint);
  const status = STATUSES.find(([text]) => text === currentRoute.value.query.get("status"));
  const shown = useRef<ListWebhookDeliveriesResponse>(undefined);
  const isSending = endpoint.isActive && shown.current?.webhookDeliveries.some(isDue);
  const list = usePagedList(
    `deliveries ${endpoint.id} ${status?.[0]}`,
    async (pageToken, signal) => {
      const filter = status === undefined ? {} : { status: status[1] };
      const page = { pageSize: PAGE_SIZE, ...(pageToken !== undefined && { pageToken }) };
      shown.current = await createApiClient(WebhookEndpointService).listWebhookDeliveries(
        { ...name, ...filter, ...page },
        { signal },
      );
      return shown.current;
    },
    { everyMs: isSending ? SENDING_REFRESH_MS : REFRESH_MS, keepsOld: true },
  );
  const [tested, setTested] = useState<string>();
  const test = useAction("Sending a test event", async () => {
    const { id } = await createApiClient(WebhookEndpointService).testWebhookEndpoint(name);
    setTested(id);
    list.reload();
  });
  const redeliver = useAction("Sending the event again", async (_, { id }: WebhookDelivery) => {
    await createApiClient(WebhookEndpointService).redeliverWebhookDelivery({ ...name, webhookDeliveryId: id });
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
      <ActionFailureNotice of={test} advice={ADVICE} />
      {tested !== undefined && <TestEventResult key={tested} endpoint={endpoint} deliveryId={tested} />}
      <FilterBar filters={[statusFilter(status?.[0])]} />
      <ActionFailureNotice of={redeliver} advice={ADVICE} />
      <PagedTable
        label="Deliveries"
        list={list}
        rowsOf={({ webhookDeliveries }) => webhookDeliveries}
        columns={endpoint.isActive ? [...COLUMNS, actionColumn(redeliver)] : COLUMNS}
        keyOf={({ id }) => id}
        empty={
          <EmptyNotice title={status === undefined ? "No deliveries yet" : "No delivery matches the filter"}>
            A delivery is one event on its way to this webhook endpoint.
          </EmptyNotice>
        }
      />
    </div>
  );
}

/** Whether the delivery is being sent, or its next attempt is due. */
function isDue({ status, nextAttemptAt }: WebhookDelivery): boolean {
  const next = timestampToDate(nextAttemptAt);
  return status === WebhookDeliveryStatus.WAITING && next !== undefined && next.getTime() <= Date.now();
}

function statusFilter(status = "") {
  return {
    ...{ label: "Status", name: "status", value: status },
    onChange: (value: string) => setQueryParameters({ status: value }),
    options: [["", "any"] as const, ...STATUSES.map(([text]) => [text, text] as const)],
  };
}

const COLUMNS: readonly TableColumn<WebhookDelivery>[] = [
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
  { title: "Time", cell: ({ event }) => <LocalTime value={event?.occurredAt} /> },
  { title: "Attempts", numeric: true, cell: ({ attempts }) => formatCount(attempts) },
  { title: "Status", cell: (delivery) => <DeliveryState {...delivery} /> },
];

interface Redelivery {
  readonly isRunning: boolean;
  run(delivery: WebhookDelivery): Promise<void>;
}

function actionColumn({ isRunning, run }: Redelivery): TableColumn<WebhookDelivery> {
  return {
    title: "Action",
    cell: (delivery) => {
      const { event } = delivery;
      const time = timestampToDate(event?.occurredAt);
      if (event === undefined || time === undefined) return "–";
      return (
        <button
          type="button"
          class="small"
          aria-label={`Send again: ${event.type} from ${formatTime(time)}`}
          aria-disabled={isRunning}
          onClick={() => run(delivery)}
        >
          Send again
        </button>
      );
    },
  };
}
