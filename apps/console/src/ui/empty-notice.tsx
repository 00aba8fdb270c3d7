import type { ComponentChildren } from "preact";

/** Shown instead of an empty list. Explains what the list is for, or how to fill it. */
export function EmptyNotice({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <strong>{title}</strong>
      {children !== undefined && <p>{children}</p>}
    </div>
  );
}
