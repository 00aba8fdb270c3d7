import {
  type WebhookEndpoint,
  WebhookEndpointService,
  type WebhookSecret,
} from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import { useState } from "preact/hooks";
import { createApiClient } from "../../api/client";
import { ActionForm, readFieldText } from "../../ui/action-form";
import { Badge } from "../../ui/badge";
import { TextField } from "../../ui/form-field";
import { LocalTime } from "../../ui/local-time";
import { useCreation } from "../../ui/use-creation";
import { createEndpointIdFields } from "./endpoint-id-fields";
import { parseHoursAsSeconds } from "./endpoint-settings";
import { SecretNotice } from "./secret-notice";

interface SecretSectionProps {
  readonly endpoint: WebhookEndpoint;
  readonly onRotated: (endpoint: WebhookEndpoint) => void;
}

/** Lists the secrets that sign webhook requests, without their values. A form adds a new secret. */
export function SecretSection({ endpoint, onRotated }: SecretSectionProps) {
  const [secret, setSecret] = useState<string>();
  const rotate = useCreation(
    "Rotating the secret",
    (form, requestId) => {
      const overlapSeconds = parseHoursAsSeconds(readFieldText(form, "overlap_seconds"));
      return createApiClient(WebhookEndpointService).rotateWebhookEndpointSecret({
        ...{ ...createEndpointIdFields(endpoint), overlapSeconds, requestId },
      });
    },
    (response) => {
      setSecret(response.secret);
      if (response.webhookEndpoint !== undefined) onRotated(response.webhookEndpoint);
    },
  );
  return (
    <section class="card stack" aria-labelledby="endpoint-secret">
      <h2 id="endpoint-secret">Secret</h2>
      <p>The secret signs requests, so that the receiver can verify that they come from Calltrack.</p>
      <ul>
        {endpoint.secrets.map((each, index) => (
          <li key={index}>
            <SecretState {...each} />
          </li>
        ))}
      </ul>
      {secret !== undefined && <SecretNotice title="Secret added" secret={secret} />}
      <ActionForm action={rotate} submit="Rotate secret" isPrimary={false}>
        <TextField
          label="Overlap in hours"
          name="overlap_seconds"
          type="number"
          step="any"
          defaultValue="24"
          hint="During the overlap, the new secret and the earlier secrets sign requests."
        />
      </ActionForm>
    </section>
  );
}

function SecretState({ createdAt, expiresAt, isReadable }: WebhookSecret) {
  return (
    <>
      Created <LocalTime value={createdAt} />
      {expiresAt !== undefined && (
        <>
          , expires <LocalTime value={expiresAt} />
        </>
      )}{" "}
      {!isReadable && <Badge kind="bad">unreadable: rotate it</Badge>}
    </>
  );
}
