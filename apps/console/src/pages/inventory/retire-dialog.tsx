import { InventoryService } from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../../api/client";
import { phoneNumberText } from "../../format/phone-number-text";
import { Checkbox } from "../../ui/checkbox";
import { ActionFailure } from "../../ui/notice";
import { useAction } from "../../ui/use-action";

interface RetireDialogProps {
  readonly number: string;
  readonly onClose: () => void;
  readonly onRetired: () => void;
}

/** Asks for confirmation, because no pool can use a retired number again. */
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
        The number leaves the inventory for good. If an automanaged pool holds it, the next pass gives its source
        another number, and calls to this one are tracked until its grace period ends. In a manual pool, it stays in use
        until someone flags it.
      </p>
      <Checkbox
        label="Immediately: the next pass removes the number from its pool, even if calls to it still arrive"
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
