import type { ComponentChildren } from "preact";
import type { Failure } from "../api/failure";

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
