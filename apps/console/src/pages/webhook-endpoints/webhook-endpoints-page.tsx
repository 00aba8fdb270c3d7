import {
  type WebhookEndpoint,
  WebhookEndpointService,
  WebhookPayloadSchema,
} from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import { api } from "../../api/client";
import { seesAllAccounts } from "../../api/identity";
import { useLoad } from "../../api/use-load";
import { eventsAbout } from "../../events/event-filters";
import { enumText } from "../../format/enum-text";
import { linkTo } from "../../routing/route";
import { type Column, DataTable } from "../../ui/data-table";
import { Empty } from "../../ui/empty";
import { Loading } from "../../ui/loading";
import { Page } from "../../ui/page";
import { Time } from "../../ui/time";
import { AccountFrame, webhookEndpointsLink } from "../account-frame";
import { accountField } from "./endpoint-ids";
import { EndpointState } from "./endpoint-state";
import { NewEndpoint } from "./new-endpoint";

interface WebhookEndpointsProps {
  /** Empty for the webhook endpoints that get events from all accounts. */
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
      const request = accountField(account);
      return (await api(WebhookEndpointService).listWebhookEndpoints(request, { signal })).webhookEndpoints;
    },
    { changedBy: eventsAbout("webhook_endpoint") },
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
      <Loading of={loaded} what="webhook endpoints">
        {(endpoints) => (
          <DataTable
            label="Webhook endpoints"
            columns={columnsOf(account)}
            rows={endpoints}
            keyOf={({ id }) => id}
            empty={
              <Empty title="No webhook endpoints yet">
                A webhook endpoint is a URL of another program, to which Calltrack sends events.
              </Empty>
            }
          />
        )}
      </Loading>
      <NewEndpoint account={account} onCreated={loaded.reload} />
    </>
  );
}

function columnsOf(account: string): readonly Column<WebhookEndpoint>[] {
  return [
    {
      title: "URL",
      isHeader: true,
      cell: ({ id, url, description }) => (
        <div class="urls">
          <a href={webhookEndpointsLink(account, id)}>{url}</a>
          {description !== undefined && <span class="note">{description}</span>}
        </div>
      ),
    },
    {
      title: "Event types",
      cell: ({ types }) => (types.length === 0 ? <span class="muted">all</span> : types.join(", ")),
    },
    { title: "State", cell: (endpoint) => <EndpointState {...endpoint} /> },
    { title: "Payload", wideOnly: true, cell: ({ payload }) => enumText(WebhookPayloadSchema, payload) },
    { title: "Created", wideOnly: true, cell: ({ createdAt }) => <Time value={createdAt} /> },
  ];
}
