import {
  type CreateWebhookEndpointResponse,
  WebhookEndpointService,
} from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import { useState } from "preact/hooks";
import { createApiClient } from "../../api/client";
import { parseIntegerOrZero } from "../../format/number-text";
import { ActionForm, readFieldText } from "../../ui/action-form";
import { Checkbox } from "../../ui/checkbox";
import { SelectField, TextField } from "../../ui/form-field";
import { useCreation } from "../../ui/use-creation";
import { linkToWebhookEndpoints } from "../account-frame";
import { createAccountIdField } from "./endpoint-id-fields";
import {
  EVENT_TYPES_HINT,
  MAX_EVENT_AGE_HINT,
  PAYLOAD_SELECT_OPTIONS,
  parseMaxAge,
  splitEventTypes,
} from "./endpoint-settings";
import { SecretNotice } from "./secret-notice";

interface NewEndpointProps {
  /** The account's token; empty for events from all accounts. */
  readonly account: string;
  readonly onCreated: () => void;
}

/** A form that creates a webhook endpoint, and then shows its secret once. */
export function NewEndpointForm({ account, onCreated }: NewEndpointProps) {
  const [created, setCreated] = useState<CreateWebhookEndpointResponse>();
  const create = useCreation(
    "Creating the webhook endpoint",
    (form, requestId) =>
      createApiClient(WebhookEndpointService).createWebhookEndpoint({
        ...createAccountIdField(account),
        ...fieldsOf(form),
        requestId,
      }),
    (response, reset) => {
      reset();
      setCreated(response);
      onCreated();
    },
  );
  return (
    <section class="card narrow" aria-labelledby="new-endpoint">
      <h2 id="new-endpoint">New webhook endpoint</h2>
      {created?.webhookEndpoint !== undefined && (
        <SecretNotice title={`Created ${created.webhookEndpoint.url}`} secret={created.secret}>
          <a href={linkToWebhookEndpoints(account, created.webhookEndpoint.id)}>Send it a test event</a>
        </SecretNotice>
      )}
      <ActionForm action={create} submit="Create webhook endpoint" isPrimary={false}>
        <TextField label="URL" name="url" placeholder="https://crm.example.com/calltrack" />
        <TextField label="Description" name="description" />
        <TextField label="Event types" name="types" hint={EVENT_TYPES_HINT} />
        <SelectField label="Payload" name="payload" options={PAYLOAD_SELECT_OPTIONS} />
        <TextField
          label="Maximum concurrent requests"
          name="concurrency"
          type="number"
          defaultValue="10"
          hint="From 1 to 50."
        />
        <TextField
          label="Maximum age in hours"
          name="max_age"
          type="number"
          step="any"
          defaultValue="24"
          hint={MAX_EVENT_AGE_HINT}
        />
        <Checkbox label="Send the events about each resource in order" name="ordered" />
      </ActionForm>
    </section>
  );
}

function fieldsOf(form: HTMLFormElement) {
  return {
    url: readFieldText(form, "url"),
    description: readFieldText(form, "description"),
    types: splitEventTypes(readFieldText(form, "types")),
    payload: Number(readFieldText(form, "payload")),
    ordered: readFieldText(form, "ordered") !== undefined,
    concurrency: parseIntegerOrZero(readFieldText(form, "concurrency")),
    maxAge: parseMaxAge(readFieldText(form, "max_age")),
  };
}
