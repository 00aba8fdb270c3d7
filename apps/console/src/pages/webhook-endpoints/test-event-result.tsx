import {
  type WebhookEndpoint,
  WebhookEndpointService,
} from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import { useState } from "preact/hooks";
import { createApiClient } from "../../api/client";
import { useLoad } from "../../api/use-load";
import { FailureNotice, Notice } from "../../ui/notice";
import { createEndpointIdFields } from "./endpoint-id-fields";

const REFRESH_MS = 1000;

/** Number of deliveries to load. If the test event is older than the newest `PAGE_SIZE` deliveries, its result is not found. */
const PAGE_SIZE = 100;

interface TestResultProps {
  readonly endpoint: WebhookEndpoint;
  readonly deliveryId: string;
}

/** The result of a test event after its first attempt; until then, a notice that it is being sent. */
export function TestEventResult({ endpoint, deliveryId }: TestResultProps) {
  const [isFinished, setFinished] = useState(false);
  const { value, failure } = useLoad(
    `test ${deliveryId}`,
    async (signal) => {
      const request = { ...createEndpointIdFields(endpoint), pageSize: PAGE_SIZE };
      const { webhookDeliveries } = await createApiClient(WebhookEndpointService).listWebhookDeliveries(request, {
        signal,
      });
      const delivery = webhookDeliveries.find(({ id }) => id === deliveryId);
      setFinished(delivery === undefined || delivery.attempts > 0);
      return { delivery };
    },
    isFinished ? {} : { everyMs: REFRESH_MS },
  );
  if (value === undefined && failure !== undefined)
    return <FailureNotice failure={failure} title="Could not load the result of the test" />;
  if (!isFinished) return <Notice kind="info">The test event is being sent.</Notice>;
  const { attempts = 0, failure: problem, responseStatus } = value?.delivery ?? {};
  if (attempts === 0) return <Notice kind="info">See the list of deliveries for the result of the test event.</Notice>;
  if (problem !== undefined)
    return (
      <Notice kind="error" title="The test event was not accepted">
        {problem}
      </Notice>
    );
  return <Notice kind="success">The test event was accepted: the receiver answered {responseStatus}.</Notice>;
}
