import {
  type WebhookEndpoint,
  WebhookEndpointService,
} from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import { createApiClient } from "../../api/client";
import type { LoadedValue } from "../../api/use-load";
import { parseIntegerOrZero } from "../../format/number-text";
import { ActionForm } from "../../ui/action-form";
import { Checkbox } from "../../ui/checkbox";
import { SelectField, TextField } from "../../ui/form-field";
import { Notice } from "../../ui/notice";
import { useEdit } from "../../ui/use-edit";
import { createEndpointIdFields } from "./endpoint-id-fields";
import {
  EVENT_TYPES_HINT,
  formatMaxAgeHours,
  MAX_EVENT_AGE_HINT,
  PAYLOAD_SELECT_OPTIONS,
  parseMaxAge,
  splitEventTypes,
} from "./endpoint-settings";

interface FormSettings {
  readonly url: string;
  readonly description: string;
  readonly types: string;
  readonly payload: string;
  readonly ordered: boolean;
  readonly concurrency: string;
  readonly maxAge: string;
  readonly isActive: boolean;
}

interface SettingsFormProps {
  readonly value: WebhookEndpoint;
  readonly loaded: LoadedValue<WebhookEndpoint>;
}

export function EndpointSettingsForm({ value, loaded }: SettingsFormProps) {
  const edit = useEdit({
    ...{ name: "Changing the webhook endpoint", loaded, value, fieldsOf: formSettings },
    send: (changes) =>
      createApiClient(WebhookEndpointService).updateWebhookEndpoint({
        ...{ ...createEndpointIdFields(value), etag: value.etag },
        ...parse(changes),
      }),
  });
  const { fields, change } = edit;
  return (
    <section class="card stack" aria-labelledby="endpoint-settings">
      <h2 id="endpoint-settings">Settings</h2>
      {edit.isApplied && <Notice kind="success">The settings are saved.</Notice>}
      <ActionForm action={edit} submit="Save" isPrimary={false}>
        <TextField label="URL" name="url" value={fields.url} onChange={(url) => change({ url })} />
        <TextField
          label="Description"
          name="description"
          value={fields.description}
          onChange={(description) => change({ description })}
        />
        <TextField
          label="Event types"
          name="types.types"
          hint={EVENT_TYPES_HINT}
          value={fields.types}
          onChange={(types) => change({ types })}
        />
        <SelectField
          label="Payload"
          name="payload"
          value={fields.payload}
          onChange={(payload) => change({ payload })}
          options={PAYLOAD_SELECT_OPTIONS}
        />
        <TextField
          label="Maximum concurrent requests"
          name="concurrency"
          type="number"
          hint="From 1 to 50."
          value={fields.concurrency}
          onChange={(concurrency) => change({ concurrency })}
        />
        <TextField
          label="Maximum age in hours"
          name="max_age"
          type="number"
          step="any"
          hint={MAX_EVENT_AGE_HINT}
          value={fields.maxAge}
          onChange={(maxAge) => change({ maxAge })}
        />
        <Checkbox
          label="Send the events about each resource in order"
          checked={fields.ordered}
          onChange={(ordered) => change({ ordered })}
        />
        <Checkbox
          label="Active: events are sent"
          checked={fields.isActive}
          onChange={(isActive) => change({ isActive })}
        />
      </ActionForm>
    </section>
  );
}

function formSettings(endpoint: WebhookEndpoint): FormSettings {
  return {
    url: endpoint.url,
    description: endpoint.description ?? "",
    types: endpoint.types.join(", "),
    payload: String(endpoint.payload),
    ordered: endpoint.ordered,
    concurrency: String(endpoint.concurrency),
    maxAge: formatMaxAgeHours(endpoint.maxAge),
    isActive: endpoint.isActive,
  };
}

function parse({ types, payload, concurrency, maxAge, ...others }: Partial<FormSettings>) {
  return {
    ...others,
    ...(types !== undefined && { types: { types: splitEventTypes(types) } }),
    ...(payload !== undefined && { payload: Number(payload) }),
    ...(concurrency !== undefined && { concurrency: parseIntegerOrZero(concurrency) }),
    ...(maxAge !== undefined && { maxAge: parseMaxAge(maxAge) }),
  };
}
