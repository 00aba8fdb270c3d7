import { useRef } from "preact/hooks";
import { generateRequestId } from "../api/client";
import { type UserAction, useAction } from "./use-action";

/**
 * Returns an action that creates a resource from a form. The idempotency key stays the same until the creation succeeds or the user changes
 * the form. So a form whose response was lost can be sent again without creating the resource twice.
 *
 * @param onCreated not called if the user has left the form in the meantime.
 */
export function useCreation<T>(
  name: string,
  create: (form: HTMLFormElement, requestId: string) => Promise<T>,
  onCreated: (created: T, form: HTMLFormElement) => void,
): UserAction<readonly [form: HTMLFormElement]> {
  const sent = useRef({ fields: "", requestId: "" });
  return useAction(name, async (removed, form) => {
    const fields = JSON.stringify(Array.from(new FormData(form)));
    if (fields !== sent.current.fields) sent.current = { fields, requestId: generateRequestId() };
    const created = await create(form, sent.current.requestId);
    sent.current = { fields: "", requestId: "" };
    if (!removed.aborted) onCreated(created, form);
  });
}
