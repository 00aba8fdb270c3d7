import {
  type WebhookEndpoint,
  WebhookEndpointService,
} from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import { useState } from "preact/hooks";
import { api } from "../../api/client";
import { type Loaded, useLoad } from "../../api/use-load";
import { eventsAboutWebhookEndpoint } from "../../events/event-filters";
import { Loading } from "../../ui/loading";
import { ActionFailure, Notice } from "../../ui/notice";
import { Page } from "../../ui/page";
import { useAction } from "../../ui/use-action";
import { webhookEndpointPath, webhookEndpointsLink } from "../account-frame";
import { DeleteDialog } from "./delete-dialog";
import { Deliveries } from "./deliveries";
import { accountField, endpointIds } from "./endpoint-ids";
import { RedeliverForm } from "./redeliver-form";
import { SecretSection } from "./secret-section";
import { SettingsForm } from "./settings-form";

interface WebhookEndpointPageProps {
  /** Empty for a webhook endpoint that gets events from all accounts. */
  readonly account: string;
  readonly id: string;
}

export function WebhookEndpointPage({ account, id }: WebhookEndpointPageProps) {
  const loaded = useLoad(
    `webhook endpoint ${account} ${id}`,
    (signal) =>
      api(WebhookEndpointService).getWebhookEndpoint({ ...accountField(account), webhookEndpointId: id }, { signal }),
    { changedBy: eventsAboutWebhookEndpoint(id) },
  );
  const [isDeleting, setDeleting] = useState(false);
  const { value } = loaded;
  const deleteButton = (
    <button type="button" onClick={() => setDeleting(true)}>
      Delete
    </button>
  );
  return (
    <Page
      title={value?.url ?? "Webhook endpoint"}
      path={webhookEndpointPath(account)}
      actions={value !== undefined && deleteButton}
    >
      <Loading of={loaded} what="the webhook endpoint">
        {(endpoint) => (
          <>
            <p class="lead">
              {["Calltrack sends events to this URL", endpoint.description].filter(Boolean).join(" · ")}
            </p>
            {!endpoint.isActive && <InactiveNotice endpoint={endpoint} loaded={loaded} />}
            <Deliveries endpoint={endpoint} />
            <div class="columns even">
              <SettingsForm value={endpoint} loaded={loaded} />
              <div class="stack">
                <SecretSection endpoint={endpoint} onRotated={loaded.replace} />
                {endpoint.isActive && <RedeliverForm endpoint={endpoint} />}
              </div>
            </div>
            {isDeleting && (
              <DeleteDialog
                endpoint={endpoint}
                onClose={() => setDeleting(false)}
                onDeleted={() => {
                  location.hash = webhookEndpointsLink(account);
                }}
              />
            )}
          </>
        )}
      </Loading>
    </Page>
  );
}

interface InactiveNoticeProps {
  readonly endpoint: WebhookEndpoint;
  readonly loaded: Loaded<WebhookEndpoint>;
}

/** Shows why the webhook endpoint gets no events, with a button that resumes it. */
function InactiveNotice({ endpoint, loaded }: InactiveNoticeProps) {
  const resume = useAction("Resuming the webhook endpoint", async () => {
    loaded.replace(await api(WebhookEndpointService).resumeWebhookEndpoint(endpointIds(endpoint)));
  });
  return (
    <>
      <Notice kind="warning" title="Inactive: no events are sent">
        <p>
          Reason: {endpoint.inactiveReason ?? "unknown"}. After you resume it, it gets the events that it missed, as far
          as they are still stored.
        </p>
        <button type="button" aria-disabled={resume.isRunning} onClick={() => resume.run()}>
          Resume
        </button>
      </Notice>
      <ActionFailure of={resume} />
    </>
  );
}
