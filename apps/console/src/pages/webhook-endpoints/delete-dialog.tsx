import {
  type WebhookEndpoint,
  WebhookEndpointService,
} from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import { useEffect, useRef } from "preact/hooks";
import { api } from "../../api/client";
import { ActionFailure } from "../../ui/notice";
import { useAction } from "../../ui/use-action";
import { endpointName } from "./endpoint-name";

interface DeleteDialogProps {
  readonly endpoint: WebhookEndpoint;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

/** Asks before a webhook endpoint is deleted, because that cannot be undone. */
export function DeleteDialog({ endpoint, onClose, onDeleted }: DeleteDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const remove = useAction("Deleting the webhook endpoint", async (removed) => {
    await api(WebhookEndpointService).deleteWebhookEndpoint(endpointName(endpoint));
    if (!removed.aborted) onDeleted();
  });
  return (
    <dialog class="dialog stack" ref={dialog} onClose={onClose} aria-labelledby="delete-title">
      <h2 id="delete-title">Delete this webhook endpoint?</h2>
      <p>Its secrets and deliveries are deleted too, also those that wait. Its URL gets no more events.</p>
      <ActionFailure of={remove} />
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
