import { InventoryService } from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../../api/client";
import { phoneNumberText } from "../../format/phone-number-text";
import { Check } from "../../ui/check";
import { ActionFailure } from "../../ui/notice";
import { useAction } from "../../ui/use-action";

interface RetireDialogProps {
  readonly number: string;
  readonly onClose: () => void;
  readonly onRetired: () => void;
}

/** Asks before a number is retired, because that cannot be undone. */
export function RetireDialog({ number, onClose, onRetired }: RetireDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [immediately, setImmediately] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  const retire = useAction(`Retiring ${phoneNumberText(number)}`, async () => {
    await api(InventoryService).retireTrackingNumber({ phoneNumber: number, immediately });
    dialog.current?.close();
    onRetired();
  });
  return (
    <dialog class="dialog stack" ref={dialog} onClose={onClose} aria-labelledby="retire-title">
      <h2 id="retire-title">Retire {phoneNumberText(number)}?</h2>
      <p>
        The number leaves the inventory for good. A source that holds it gets another one, and calls to it are tracked
        until then.
      </p>
      <Check
        label="Immediately: the next pass deletes its call tracker, even if calls still arrive"
        checked={immediately}
        onChange={setImmediately}
      />
      <ActionFailure of={retire} />
      <div class="actions">
        <button type="button" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
        <button type="button" class="danger" aria-disabled={retire.isRunning} onClick={() => retire.run()}>
          Retire number
        </button>
      </div>
    </dialog>
  );
}
