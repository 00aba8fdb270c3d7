import type { ComponentChildren } from "preact";
import { type Failure, isOutcomeUnknown } from "../api/failure";

interface NoticeProps {
  readonly kind: "info" | "warning" | "error" | "success";
  readonly title?: string | undefined;
  readonly children?: ComponentChildren;
}

/** A message in a box. Screen readers announce errors at once. */
export function Notice({ kind, title, children }: NoticeProps) {
  return (
    <div class={`notice notice-${kind}`} role={kind === "error" ? "alert" : "status"}>
      {title !== undefined && <strong>{title}</strong>}
      {children !== undefined && <div>{children}</div>}
    </div>
  );
}

/** A warning as a sentence; nothing if there is none. */
export function WarningNotice({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return <Notice kind="warning">{`${text.charAt(0).toUpperCase()}${text.slice(1)}.`}</Notice>;
}

interface FailureNoticeProps {
  readonly failure: Failure | undefined;
  readonly title?: string | undefined;
}

/** The failure of a request; nothing if there is none. */
export function FailureNotice({ failure, title }: FailureNoticeProps) {
  if (failure === undefined) return null;
  return (
    <Notice kind="error" title={title}>
      {failure.message}
    </Notice>
  );
}

interface ActionFailureProps {
  readonly of: { readonly name: string; readonly failure: Failure | undefined };
  /** The next step for the reader if the server may have carried out the request. */
  readonly advice?: string | undefined;
}

const REPEAT = "Press the button again: nothing is done twice.";

/** The failure of an action; nothing if there is none. */
export function ActionFailure({ of: { name, failure }, advice = REPEAT }: ActionFailureProps) {
  if (failure?.reason === "ETAG_MISMATCH")
    return (
      <Notice kind="error" title={`${name}: conflict`}>
        It was changed meanwhile, so nothing was applied. Check the current values, and repeat.
      </Notice>
    );
  if (failure === undefined || !isOutcomeUnknown(failure))
    return <FailureNotice failure={failure} title={`${name} failed`} />;
  return (
    <Notice kind="error" title={`${name}: no answer`}>
      {failure.message} {advice}
    </Notice>
  );
}
