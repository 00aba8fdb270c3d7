import { WebhookEndpointService } from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import { readListPages } from "../../connection/read-list-pages.js";
import type { CliCommand, EtagOption, IfMatchOption } from "../../invocation/cli-command.js";
import { withDefault, withoutDefault } from "../../options/describe-default.js";
import { parseOverlapOption } from "../../options/option-value.js";
import {
  type AccountOption,
  addAccountOption,
  addEndpointArguments,
  EXAMPLE_ENDPOINT_ID,
} from "./endpoint-arguments.js";
import { endpointView, showEndpointWithSecret } from "./endpoint-view.js";
import { addEndpointSettingOptions, createEndpointSettings, type EndpointSettingOptions } from "./setting-options.js";
import { addEndpointDeliveriesCommand, addEndpointRedeliverCommand } from "./webhook-endpoints-deliveries.js";
import { addEndpointListenCommand } from "./webhook-endpoints-listen.js";
import { addEndpointTestCommand } from "./webhook-endpoints-test.js";

export function defineCommand(endpoints: CliCommand): void {
  addCreate(endpoints);
  addGet(endpoints);
  addList(endpoints);
  addUpdate(endpoints);
  addDisable(endpoints);
  addResume(endpoints);
  addDelete(endpoints);
  addRotate(endpoints);
  addEndpointTestCommand(endpoints);
  addEndpointDeliveriesCommand(endpoints);
  addEndpointRedeliverCommand(endpoints);
  addEndpointListenCommand(endpoints);
  endpoints.subcommandExamples();
}

function addCreate(endpoints: CliCommand): void {
  const create = endpoints
    .command("create")
    .description("create a webhook endpoint, which gets events from now on; its secret is shown only once")
    .argument("<url>", "the URL to send events to: https, at a public address");
  addEndpointSettingOptions(addAccountOption(create), withDefault)
    .run(
      async (invocation, url: string, { account: accountId, ...options }: AccountOption & EndpointSettingOptions) => {
        const client = invocation.client(WebhookEndpointService);
        await showEndpointWithSecret(
          invocation,
          await client.createWebhookEndpoint({
            accountId,
            url,
            ...createEndpointSettings(options),
            types: [...(options.type ?? [])],
          }),
        );
      },
    )
    .examples(
      'calltrack webhook-endpoints create https://crm.example.com/calltrack --account acme --type "call.*"',
      "calltrack webhook-endpoints create https://warehouse.example.com/events --payload thin --ordered",
    );
}

function addGet(endpoints: CliCommand): void {
  addEndpointArguments(
    endpoints.command("get").description("show one webhook endpoint, without its secrets").etagOption(),
  )
    .run(
      async (invocation, webhookEndpointId: string, { account: accountId, ...options }: AccountOption & EtagOption) => {
        const client = invocation.client(WebhookEndpointService);
        const found = await client.getWebhookEndpoint({ accountId, webhookEndpointId });
        await invocation.showOrEtag(endpointView, found, options);
      },
    )
    .examples(`calltrack webhook-endpoints get ${EXAMPLE_ENDPOINT_ID} --account acme`);
}

function addList(endpoints: CliCommand): void {
  endpoints
    .command("list")
    .watchOption()
    .description("list webhook endpoints, oldest first")
    .option(
      "--account <account>",
      "the account's token or id (default: the webhook endpoints that get the events of all accounts)",
    )
    .limitOption()
    .run(async (invocation, { account: accountId, limit }: AccountOption & { readonly limit?: number }) => {
      const client = invocation.client(WebhookEndpointService);
      const pages = readListPages((page) => client.listWebhookEndpoints({ accountId, ...page }), limit);
      await invocation.showList(endpointView, pages);
    })
    .examples("calltrack webhook-endpoints list --account acme", "calltrack webhook-endpoints list");
}

interface UpdateOptions extends AccountOption, IfMatchOption, EndpointSettingOptions {
  readonly url?: string;
}

function addUpdate(endpoints: CliCommand): void {
  const update = endpoints
    .command("update")
    .description("change a webhook endpoint; omitted options leave values unchanged")
    .option("--url <url>", "the URL to send events to");
  addEndpointSettingOptions(addEndpointArguments(update), withoutDefault)
    .option("--no-ordered", "send events in any order")
    .ifMatchOption()
    .run(async (invocation, webhookEndpointId: string, options: UpdateOptions) => {
      const { account: accountId, url, ifMatch: etag, ...changes } = options;
      const { types, ...settings } = createEndpointSettings(changes);
      const request = { accountId, webhookEndpointId, url, etag, ...settings, types: types && { types } };
      const client = invocation.client(WebhookEndpointService);
      await invocation.show(endpointView, await client.updateWebhookEndpoint(request));
    })
    .examples(
      `calltrack webhook-endpoints update ${EXAMPLE_ENDPOINT_ID} --account acme --type call.ended pool.updated`,
      `calltrack webhook-endpoints update ${EXAMPLE_ENDPOINT_ID} --type "" --concurrency 20`,
    );
}

function addDisable(endpoints: CliCommand): void {
  const description =
    "send no events to a webhook endpoint until it is resumed; resuming also sends the events that it missed";
  addEndpointArguments(endpoints.command("disable").description(description).ifMatchOption())
    .run(async (invocation, webhookEndpointId: string, options: AccountOption & IfMatchOption) => {
      const { account: accountId, ifMatch: etag } = options;
      const client = invocation.client(WebhookEndpointService);
      const request = { accountId, webhookEndpointId, isActive: false, etag };
      await invocation.show(endpointView, await client.updateWebhookEndpoint(request));
    })
    .examples(`calltrack webhook-endpoints disable ${EXAMPLE_ENDPOINT_ID} --account acme`);
}

function addResume(endpoints: CliCommand): void {
  const description = "send events to an inactive webhook endpoint again, including the events that it missed";
  addEndpointArguments(endpoints.command("resume").description(description))
    .run(async (invocation, webhookEndpointId: string, { account: accountId }: AccountOption) => {
      const client = invocation.client(WebhookEndpointService);
      await invocation.show(endpointView, await client.resumeWebhookEndpoint({ accountId, webhookEndpointId }));
    })
    .examples(`calltrack webhook-endpoints resume ${EXAMPLE_ENDPOINT_ID} --account acme`);
}

function addDelete(endpoints: CliCommand): void {
  addEndpointArguments(endpoints.command("delete").description("delete a webhook endpoint and its waiting deliveries"))
    .run(async (invocation, webhookEndpointId: string, { account: accountId }: AccountOption) => {
      const client = invocation.client(WebhookEndpointService);
      await client.deleteWebhookEndpoint({ accountId, webhookEndpointId });
      invocation.notify("Webhook endpoint deleted.\n");
    })
    .examples(`calltrack webhook-endpoints delete ${EXAMPLE_ENDPOINT_ID} --account acme`);
}

interface RotateOptions extends AccountOption {
  /** In seconds. */
  readonly overlap?: number;
}

function addRotate(endpoints: CliCommand): void {
  addEndpointArguments(
    endpoints
      .command("rotate")
      .description(
        "add a new secret, which is shown only once; the earlier secrets still sign requests for the duration of --overlap",
      ),
  )
    .option(
      "--overlap <time>",
      "how long the earlier secrets still sign requests, 0s to 7d (default: 24h)",
      parseOverlapOption,
    )
    .run(async (invocation, webhookEndpointId: string, { account: accountId, overlap }: RotateOptions) => {
      const client = invocation.client(WebhookEndpointService);
      const request = { accountId, webhookEndpointId, overlapSeconds: overlap };
      await showEndpointWithSecret(invocation, await client.rotateWebhookEndpointSecret(request));
    })
    .examples(`calltrack webhook-endpoints rotate ${EXAMPLE_ENDPOINT_ID} --account acme --overlap 1h`);
}
