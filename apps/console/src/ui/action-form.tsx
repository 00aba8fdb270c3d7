import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { FieldViolationsContext } from "./form-field";
import { ActionFailureNotice } from "./notice";
import type { UserAction } from "./use-action";

interface ActionFormProps {
  readonly action: UserAction<readonly [form: HTMLFormElement]>;
  readonly submit: string;
  /** Whether the button is the page's most important one; true by default. */
  readonly isPrimary?: boolean;
  /** The user's next step if the server may have carried out the request; by default, to press the button again. */
  readonly advice?: string;
  /** The form's fields. Each shows the problem with the API field of the same name. */
  readonly children: ComponentChildren;
}

/** A form that sends a request. After a failure, the focus moves to the first field with a problem. */
export function ActionForm({ action, submit, isPrimary = true, advice, children }: ActionFormProps) {
  const { failure } = action;
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus(), [failure]);
  return (
    <form
      class="stack"
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        action.run(event.currentTarget);
      }}
    >
      <FieldViolationsContext.Provider value={failure?.violations ?? {}}>{children}</FieldViolationsContext.Provider>
      {Object.keys(failure?.violations ?? {}).length === 0 && <ActionFailureNotice of={action} advice={advice} />}
      <button type="submit" class={isPrimary ? "primary" : undefined} aria-disabled={action.isRunning}>
        {submit}
      </button>
    </form>
  );
}

/** Returns the text in a field; undefined if it is empty or the form has no such field. */
export function readFieldText(form: HTMLFormElement, name: string): string | undefined {
  return new FormData(form).get(name)?.toString() || undefined;
}
