import {
  type WebhookDeliveryStatus,
  WebhookDeliveryStatusSchema,
  WebhookEndpointService,
} from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import { readListPages } from "../../connection/read-list-pages.js";
import type { CliCommand } from "../../invocation/cli-command.js";
import { createEnumOption } from "../../options/enum-option.js";
import { parsePastTimeOption, type TimeOption } from "../../options/time-option.js";
import { UsageError } from "../../process/usage-error.js";
import { deliveryView, showDelivery } from "./delivery-view.js";
import { type AccountOption, addEndpointArguments, EXAMPLE_ENDPOINT_ID } from "./endpoint-arguments.js";
import { endpointView } from "./endpoint-view.js";

interface DeliveriesOptions extends AccountOption {
  readonly status?: WebhookDeliveryStatus;
  readonly limit?: number;
}

export function addEndpointDeliveriesCommand(endpoints: CliCommand): void {
  addEndpointArguments(
    endpoints
      .command("deliveries")
      .watchOption()
      .description("list the deliveries of a webhook endpoint and their results, newest first"),
  )
    .addOption(createEnumOption("--status <status>", "only deliveries with this status", WebhookDeliveryStatusSchema))
    .limitOption()
    .run(async (invocation, webhookEndpointId: string, options: DeliveriesOptions) => {
      const { account: accountId, status, limit } = options;
      const client = invocation.client(WebhookEndpointService);
      const request = { accountId, webhookEndpointId, status };
      const pages = readListPages((page) => client.listWebhookDeliveries({ ...request, ...page }), limit);
      await invocation.showList(deliveryView, pages);
    })
    .examples(
      `calltrack webhook-endpoints deliveries ${EXAMPLE_ENDPOINT_ID} --account acme --limit 20`,
      `calltrack webhook-endpoints deliveries ${EXAMPLE_ENDPOINT_ID} --status dead`,
    );
}

interface RedeliverOptions extends AccountOption {
  readonly since?: TimeOption;
}

const redeliverHelp = `
With --since:
  Sends all events since this time that match the settings of the webhook endpoint,
  including events that it already accepted, and events from before its creation.
`;

export function addEndpointRedeliverCommand(endpoints: CliCommand): void {
  const redeliver = endpoints
    .command("redeliver")
    .description("send one delivery again, or all events since a time, with the same ids as before");
  addEndpointArguments(redeliver)
    .argument("[delivery]", "the delivery's id")
    .option(
      "--since <time>",
      "send all events since this time, such as 1h ago or 2026-11-20T00:00:00Z",
      parsePastTimeOption,
    )
    .run(
      async (
        invocation,
        webhookEndpointId: string,
        webhookDeliveryId: string | undefined,
        options: RedeliverOptions,
      ) => {
        const { account: accountId, since: start } = options;
        const client = invocation.client(WebhookEndpointService);
        if ((webhookDeliveryId === undefined) === (start === undefined))
          throw new UsageError("pass either the id of a delivery, or a time with --since");
        const since = await invocation.timeOf(start);
        const request = { accountId, webhookEndpointId };
        if (since === undefined)
          await showDelivery(invocation, await client.redeliverWebhookDelivery({ ...request, webhookDeliveryId }));
        else await invocation.show(endpointView, await client.redeliverWebhookDeliveries({ ...request, since }));
      },
    )
    .addHelpText("after", redeliverHelp.trimEnd())
    .examples(
      `calltrack webhook-endpoints redeliver ${EXAMPLE_ENDPOINT_ID} 4711 --account acme`,
      `calltrack webhook-endpoints redeliver ${EXAMPLE_ENDPOINT_ID} --since 6h`,
    );
}
