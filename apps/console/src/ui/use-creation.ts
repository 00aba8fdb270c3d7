import { useRef } from "preact/hooks";
import { generateRequestId } from "../api/client";
import { type UserAction, useAction } from "./use-action";

/**
 * Returns an action that creates a resource from a form. The idempotency key stays the same until the creation succeeds or the user changes
 * the form. So a form whose response was lost can be sent again without creating the resource twice.
 *
 * @param onCreated not called if the user has left the form in the meantime. `reset` resets the form's fields, unless the user has changed them
 * since the form was sent.
 */
export function useCreation<T>(
  name: string,
  create: (form: HTMLFormElement, requestId: string) => Promise<T>,
  onCreated: (created: T, reset: () => void) => void,
): UserAction<readonly [form: HTMLFormElement]> {
  const sent = useRef({ fields: "", requestId: "" });
  return useAction(name, async (removed, form) => {
    const fields = readFields(form);
    if (fields !== sent.current.fields) sent.current = { fields, requestId: generateRequestId() };
    const created = await create(form, sent.current.requestId);
    sent.current = { fields: "", requestId: "" };
    const reset = () => {
      if (readFields(form) === fields) form.reset();
    };
    if (!removed.aborted) onCreated(created, reset);
  });
}

function readFields(form: HTMLFormElement): string {
  return JSON.stringify(Array.from(new FormData(form)));
}
