import type { ComponentChildren } from "preact";

/** The meaning of a badge: its color repeats what its text says. */
export type BadgeKind = "neutral" | "good" | "warning" | "bad";

/** A short state in words. */
export function Badge({
  kind = "neutral",
  children,
}: {
  readonly kind?: BadgeKind;
  readonly children: ComponentChildren;
}) {
  return <span class={`badge badge-${kind}`}>{children}</span>;
}
