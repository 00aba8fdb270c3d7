import type { ComponentChildren } from "preact";

/** Stands in for an empty list: what would be here, and how to get it. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <strong>{title}</strong>
      {children !== undefined && <p>{children}</p>}
    </div>
  );
}
