import {
  type CreateWebhookEndpointResponse,
  WebhookEndpointService,
} from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import { useState } from "preact/hooks";
import { api } from "../../api/client";
import { parseInteger } from "../../format/number-text";
import { ActionForm, fieldText } from "../../ui/action-form";
import { Checkbox } from "../../ui/checkbox";
import { SelectField, TextField } from "../../ui/field";
import { useCreation } from "../../ui/use-creation";
import { webhookEndpointsLink } from "../account-frame";
import { accountField } from "./endpoint-ids";
import { MAX_AGE_HINT, PAYLOAD_OPTIONS, parseMaxAge, splitEventTypes, TYPES_HINT } from "./endpoint-settings";
import { SecretNotice } from "./secret-notice";

interface NewEndpointProps {
  /** Empty for the events from all accounts. */
  readonly account: string;
  readonly onCreated: () => void;
}

/** A form that creates a webhook endpoint, then shows its secret once. */
export function NewEndpoint({ account, onCreated }: NewEndpointProps) {
  const [created, setCreated] = useState<CreateWebhookEndpointResponse>();
  const create = useCreation(
    "Creating the webhook endpoint",
    (form, requestId) =>
      api(WebhookEndpointService).createWebhookEndpoint({ ...accountField(account), ...fieldsOf(form), requestId }),
    (response, form) => {
      form.reset();
      setCreated(response);
      onCreated();
    },
  );
  return (
    <section class="card narrow" aria-labelledby="new-endpoint">
      <h2 id="new-endpoint">New webhook endpoint</h2>
      {created?.webhookEndpoint !== undefined && (
        <SecretNotice title={`Created ${created.webhookEndpoint.url}`} secret={created.secret}>
          <a href={webhookEndpointsLink(account, created.webhookEndpoint.id)}>Send it a test event</a>
        </SecretNotice>
      )}
      <ActionForm action={create} submit="Create webhook endpoint" isPrimary={false}>
        <TextField label="URL" name="url" placeholder="https://crm.example.com/calltrack" />
        <TextField label="Description" name="description" />
        <TextField label="Event types" name="types" hint={TYPES_HINT} />
        <SelectField label="Payload" name="payload" options={PAYLOAD_OPTIONS} />
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
          hint={MAX_AGE_HINT}
        />
        <Checkbox label="Send the events about each resource in order" name="ordered" />
      </ActionForm>
    </section>
  );
}

function fieldsOf(form: HTMLFormElement) {
  return {
    url: fieldText(form, "url"),
    description: fieldText(form, "description"),
    types: splitEventTypes(fieldText(form, "types")),
    payload: Number(fieldText(form, "payload")),
    ordered: fieldText(form, "ordered") !== undefined,
    concurrency: parseInteger(fieldText(form, "concurrency")),
    maxAge: parseMaxAge(fieldText(form, "max_age")),
  };
}
