import {
  type WebhookEndpoint,
  WebhookEndpointService,
} from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import { useEffect, useRef } from "preact/hooks";
import { toApiFailure } from "../../api/api-failure";
import { createApiClient } from "../../api/client";
import { ActionFailureNotice } from "../../ui/notice";
import { useAction } from "../../ui/use-action";
import { createEndpointIdFields } from "./endpoint-id-fields";

interface DeleteDialogProps {
  readonly endpoint: WebhookEndpoint;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

/** Asks for confirmation, because a deleted webhook endpoint and its deliveries cannot be restored. */
export function DeleteEndpointDialog({ endpoint, onClose, onDeleted }: DeleteDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const remove = useAction("Deleting the webhook endpoint", async (removed) => {
    await deleteEndpoint(endpoint);
    if (!removed.aborted) onDeleted();
  });
  return (
    <dialog class="dialog stack" ref={dialog} onClose={onClose} aria-labelledby="delete-title">
      <h2 id="delete-title">Delete this webhook endpoint?</h2>
      <p>
        Calltrack deletes the endpoint's secrets and deliveries, even waiting deliveries. The URL gets no more events.
      </p>
      <ActionFailureNotice of={remove} />
      <div class="actions">
        <button type="button" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
        <button type="button" class="danger" aria-disabled={remove.isRunning} onClick={() => remove.run()}>
          Delete webhook endpoint
        </button>
      </div>
    </dialog>
  );
}

/** Deletes a webhook endpoint. Succeeds if it does not exist anymore, because an earlier request whose response was lost may have deleted it. */
async function deleteEndpoint(endpoint: WebhookEndpoint): Promise<void> {
  try {
    await createApiClient(WebhookEndpointService).deleteWebhookEndpoint(createEndpointIdFields(endpoint));
  } catch (error) {
    if (toApiFailure(error).reason !== "WEBHOOK_ENDPOINT_NOT_FOUND") throw error;
  }
}
