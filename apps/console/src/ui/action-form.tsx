import type { ComponentChildren } from "preact";
import { FailureNotice } from "./notice";
import type { Action } from "./use-action";

interface ActionFormProps {
  readonly action: Action<readonly []>;
  /** Text of the button. */
  readonly submit: string;
  /** Whether the button is the most important one of the page; true by default. */
  readonly isPrimary?: boolean;
  /** Title of a failure that no field shows. */
  readonly title?: string;
  readonly children: ComponentChildren;
}

/** A form that sends a request. */
export function ActionForm({ action, submit, isPrimary = true, title, children }: ActionFormProps) {
  const { failure } = action;
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        action.run();
      }}
    >
      {children}
      {Object.keys(failure?.violations ?? {}).length === 0 && (
        <FailureNotice failure={failure} {...(title !== undefined && { title })} />
      )}
      <button type="submit" class={isPrimary ? "primary" : undefined} disabled={action.isRunning}>
        {submit}
      </button>
    </form>
  );
}
