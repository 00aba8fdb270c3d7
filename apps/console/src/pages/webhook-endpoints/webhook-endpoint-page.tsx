import {
  type WebhookEndpoint,
  WebhookEndpointService,
} from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import { useState } from "preact/hooks";
import { createApiClient } from "../../api/client";
import { type LoadedValue, useLoad } from "../../api/use-load";
import { createWebhookEndpointEventFilter } from "../../events/event-filters";
import { LoadedView } from "../../ui/loaded-view";
import { ActionFailureNotice, Notice } from "../../ui/notice";
import { Page } from "../../ui/page";
import { useAction } from "../../ui/use-action";
import { createWebhookEndpointBreadcrumbs, linkToWebhookEndpoints } from "../account-frame";
import { DeleteEndpointDialog } from "./delete-endpoint-dialog";
import { DeliveryList } from "./delivery-list";
import { createAccountIdField, createEndpointIdFields } from "./endpoint-id-fields";
import { EndpointSettingsForm } from "./endpoint-settings-form";
import { RedeliverForm } from "./redeliver-form";
import { SecretSection } from "./secret-section";

interface WebhookEndpointPageProps {
  /** The account's token; empty for a webhook endpoint that gets events from all accounts. */
  readonly account: string;
  readonly id: string;
}

export function WebhookEndpointPage({ account, id }: WebhookEndpointPageProps) {
  const loaded = useLoad(
    `webhook endpoint ${account} ${id}`,
    (signal) =>
      createApiClient(WebhookEndpointService).getWebhookEndpoint(
        { ...createAccountIdField(account), webhookEndpointId: id },
        { signal },
      ),
    { changedBy: createWebhookEndpointEventFilter(id) },
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
      path={createWebhookEndpointBreadcrumbs(account)}
      actions={value !== undefined && deleteButton}
    >
      <LoadedView of={loaded} what="the webhook endpoint">
        {(endpoint) => (
          <>
            <p class="lead">
              {["Calltrack sends events to this URL", endpoint.description].filter(Boolean).join(" · ")}
            </p>
            {!endpoint.isActive && <InactiveNotice endpoint={endpoint} loaded={loaded} />}
            <DeliveryList endpoint={endpoint} />
            <div class="columns even">
              <EndpointSettingsForm value={endpoint} loaded={loaded} />
              <div class="stack">
                <SecretSection endpoint={endpoint} onRotated={loaded.replace} />
                {endpoint.isActive && <RedeliverForm endpoint={endpoint} />}
              </div>
            </div>
            {isDeleting && (
              <DeleteEndpointDialog
                endpoint={endpoint}
                onClose={() => setDeleting(false)}
                onDeleted={() => {
                  location.hash = linkToWebhookEndpoints(account);
                }}
              />
            )}
          </>
        )}
      </LoadedView>
    </Page>
  );
}

interface InactiveNoticeProps {
  readonly endpoint: WebhookEndpoint;
  readonly loaded: LoadedValue<WebhookEndpoint>;
}

/** Shows why the webhook endpoint gets no events, with a button that resumes it. */
function InactiveNotice({ endpoint, loaded }: InactiveNoticeProps) {
  const resume = useAction("Resuming the webhook endpoint", async () => {
    loaded.replace(
      await createApiClient(WebhookEndpointService).resumeWebhookEndpoint(createEndpointIdFields(endpoint)),
    );
  });
  return (
    <>
      <Notice kind="warning" title="Inactive: no events are sent">
        <p>
          Reason: {endpoint.inactiveReason ?? "unknown"}. After you resume the webhook endpoint, it gets the missed
          events that are still stored.
        </p>
        <button type="button" aria-disabled={resume.isRunning} onClick={() => resume.run()}>
          Resume
        </button>
      </Notice>
      <ActionFailureNotice of={resume} />
    </>
  );
}
