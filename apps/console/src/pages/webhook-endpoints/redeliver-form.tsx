import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import {
  type WebhookEndpoint,
  WebhookEndpointService,
} from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import { useState } from "preact/hooks";
import { createApiClient } from "../../api/client";
import { formatTime, parseLocalTime } from "../../format/time-text";
import { ActionForm, readFieldText } from "../../ui/action-form";
import { TextField } from "../../ui/form-field";
import { Notice } from "../../ui/notice";
import { useAction } from "../../ui/use-action";
import { createEndpointIdFields } from "./endpoint-id-fields";

export function RedeliverForm({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const [sent, setSent] = useState<Timestamp>();
  const redeliver = useAction("Sending the events again", async (removed, form: HTMLFormElement) => {
    setSent(undefined);
    const since = parseLocalTime(readFieldText(form, "since"));
    await createApiClient(WebhookEndpointService).redeliverWebhookDeliveries({
      ...createEndpointIdFields(endpoint),
      ...(since !== undefined && { since }),
    });
    if (!removed.aborted) setSent(since);
  });
  return (
    <section class="card stack" aria-labelledby="endpoint-redeliver">
      <h2 id="endpoint-redeliver">Send events again</h2>
      {sent !== undefined && (
        <Notice kind="success">The events since {formatTime(timestampDate(sent))} are being sent again.</Notice>
      )}
      <ActionForm
        action={redeliver}
        submit="Send all again"
        isPrimary={false}
        advice="Check the deliveries before you press the button again."
      >
        <TextField
          label="Since"
          name="since"
          type="datetime-local"
          hint="Includes events that the receiver has already accepted. Each event keeps its webhook-id."
        />
      </ActionForm>
    </section>
  );
}
