import {
  type WebhookEndpoint,
  WebhookEndpointService,
  WebhookPayloadSchema,
} from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import { seesAllAccounts } from "../../api/caller-identity";
import { createApiClient } from "../../api/client";
import { useLoad } from "../../api/use-load";
import { createResourceKindEventFilter } from "../../events/event-filters";
import { formatEnumValueAsWords } from "../../format/enum-text";
import { linkTo } from "../../routing/route";
import { DataTable, type TableColumn } from "../../ui/data-table";
import { EmptyNotice } from "../../ui/empty-notice";
import { LoadedView } from "../../ui/loaded-view";
import { LocalTime } from "../../ui/local-time";
import { Page } from "../../ui/page";
import { AccountFrame, linkToWebhookEndpoints } from "../account-frame";
import { createAccountIdField } from "./endpoint-id-fields";
import { EndpointState } from "./endpoint-state";
import { NewEndpointForm } from "./new-endpoint-form";

interface WebhookEndpointsProps {
  /** The account's token; empty for the webhook endpoints that get events from all accounts. */
  readonly account: string;
}

/** The webhook endpoints for the events of one account, or of all accounts, with a form that creates one. */
export function WebhookEndpointsPage({ account }: WebhookEndpointsProps) {
  const endpoints = <WebhookEndpoints account={account} />;
  if (account === "") return <Page title="Webhook endpoints">{endpoints}</Page>;
  return (
    <AccountFrame account={account} current="webhook-endpoints">
      {endpoints}
    </AccountFrame>
  );
}

function WebhookEndpoints({ account }: WebhookEndpointsProps) {
  const loaded = useLoad(
    `webhook endpoints of ${account}`,
    async (signal) => {
      const request = createAccountIdField(account);
      return (await createApiClient(WebhookEndpointService).listWebhookEndpoints(request, { signal })).webhookEndpoints;
    },
    { changedBy: createResourceKindEventFilter("webhook_endpoint") },
  );
  return (
    <>
      <p class="lead">
        Calltrack calls these URLs to send events from {account === "" ? "all accounts" : "this account"}. They are not
        the webhooks that phone systems call
        {seesAllAccounts() && (
          <>
            : for those, see <a href={linkTo("phone-systems")}>phone systems</a>
          </>
        )}
        .
      </p>
      <LoadedView of={loaded} what="webhook endpoints">
        {(endpoints) => (
          <DataTable
            label="Webhook endpoints"
            columns={columnsOf(account)}
            rows={endpoints}
            keyOf={({ id }) => id}
            empty={
              <EmptyNotice title="No webhook endpoints yet">
                A webhook endpoint is a URL of another program, to which Calltrack sends events.
              </EmptyNotice>
            }
          />
        )}
      </LoadedView>
      <NewEndpointForm account={account} onCreated={loaded.reload} />
    </>
  );
}

function columnsOf(account: string): readonly TableColumn<WebhookEndpoint>[] {
  return [
    {
      title: "URL",
      isHeader: true,
      cell: ({ id, url, description }) => (
        <div class="urls">
          <a href={linkToWebhookEndpoints(account, id)}>{url}</a>
          {description !== undefined && <span class="note">{description}</span>}
        </div>
      ),
    },
    {
      title: "Event types",
      cell: ({ types }) => (types.length === 0 ? <span class="muted">all</span> : types.join(", ")),
    },
    { title: "State", cell: (endpoint) => <EndpointState {...endpoint} /> },
    { title: "Payload", wideOnly: true, cell: ({ payload }) => formatEnumValueAsWords(WebhookPayloadSchema, payload) },
    { title: "Created", wideOnly: true, cell: ({ createdAt }) => <LocalTime value={createdAt} /> },
  ];
}
