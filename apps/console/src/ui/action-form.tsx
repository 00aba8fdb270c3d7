import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Violations } from "./field";
import { ActionFailure } from "./notice";
import type { Action } from "./use-action";

interface ActionFormProps {
  readonly action: Action<readonly [form: HTMLFormElement]>;
  readonly submit: string;
  /** Whether the button is the page's most important one; true by default. */
  readonly isPrimary?: boolean;
  /** The user's next step if the server may have carried out the request; by default, to press the button again. */
  readonly advice?: string;
  /** The fields. Each shows the problem with the API field that has its name. */
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
      <Violations.Provider value={failure?.violations ?? {}}>{children}</Violations.Provider>
      {Object.keys(failure?.violations ?? {}).length === 0 && <ActionFailure of={action} advice={advice} />}
      <button type="submit" class={isPrimary ? "primary" : undefined} aria-disabled={action.isRunning}>
        {submit}
      </button>
    </form>
  );
}

/** Returns the text in a field; undefined if it is empty or the form has no such field. */
export function fieldText(form: HTMLFormElement, name: string): string | undefined {
  return new FormData(form).get(name)?.toString() || undefined;
}
