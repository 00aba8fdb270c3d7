import { InventoryService } from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import { useEffect, useRef, useState } from "preact/hooks";
import { createApiClient } from "../../api/client";
import { formatPhoneNumber } from "../../format/format-phone-number";
import { Checkbox } from "../../ui/checkbox";
import { ActionFailureNotice } from "../../ui/notice";
import { useAction } from "../../ui/use-action";

interface RetireDialogProps {
  readonly number: string;
  readonly onClose: () => void;
  readonly onRetired: () => void;
}

/** Asks for confirmation, because no pool can use a retired number again. */
export function RetireNumberDialog({ number, onClose, onRetired }: RetireDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [immediately, setImmediately] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  const retire = useAction(`Retiring ${formatPhoneNumber(number)}`, async () => {
    await createApiClient(InventoryService).retireTrackingNumber({ phoneNumber: number, immediately });
    dialog.current?.close();
    onRetired();
  });
  return (
    <dialog class="dialog stack" ref={dialog} onClose={onClose} aria-labelledby="retire-title">
      <h2 id="retire-title">Retire {formatPhoneNumber(number)}?</h2>
      <p>
        Retirement is permanent: no pool can take a retired number. If the number is in an automanaged pool, the next
        pass gives the number's source another number, and Calltrack tracks calls to the retired number until the grace
        period ends. In a manual pool, the number stays in use until someone flags it.
      </p>
      <Checkbox
        label="Immediately: the next pass removes the number from its pool, even if calls to it still arrive"
        checked={immediately}
        onChange={setImmediately}
      />
      <ActionFailureNotice of={retire} />
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
