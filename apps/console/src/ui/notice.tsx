import type { ComponentChildren } from "preact";
import { type ApiFailure, isOutcomeUnknown } from "../api/api-failure";

interface NoticeProps {
  readonly kind: "info" | "warning" | "error" | "success";
  readonly title?: string | undefined;
  readonly children?: ComponentChildren;
}

/** A message in a box. Screen readers announce errors immediately. */
export function Notice({ kind, title, children }: NoticeProps) {
  return (
    <div class={`notice notice-${kind}`} role={kind === "error" ? "alert" : "status"}>
      {title !== undefined && <strong>{title}</strong>}
      {children !== undefined && <div>{children}</div>}
    </div>
  );
}

/** Shows a warning as a sentence: with a capital letter and a period. Shows nothing if the text is undefined. */
export function WarningNotice({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return <Notice kind="warning">{`${text.charAt(0).toUpperCase()}${text.slice(1)}.`}</Notice>;
}

interface FailureNoticeProps {
  readonly failure: ApiFailure | undefined;
  readonly title?: string | undefined;
}

/** Shows why a request failed; nothing if `failure` is undefined. */
export function FailureNotice({ failure, title }: FailureNoticeProps) {
  if (failure === undefined) return null;
  return (
    <Notice kind="error" title={title}>
      {failure.message}
    </Notice>
  );
}

interface ActionFailureProps {
  readonly of: { readonly name: string; readonly failure: ApiFailure | undefined };
  /** The user's next step if the server may have carried out the request. */
  readonly advice?: string | undefined;
}

const REPEAT = "Press the button again: the server does not repeat a change that it has already made.";

/** Shows why an action failed and what to do; nothing if it did not fail. */
export function ActionFailureNotice({ of: { name, failure }, advice = REPEAT }: ActionFailureProps) {
  if (failure?.reason === "ETAG_MISMATCH")
    return (
      <Notice kind="error" title={`${name}: conflict`}>
        The resource changed in the meantime, so your change was not applied. Check the current values, then press the
        button again.
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
