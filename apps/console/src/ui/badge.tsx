import type { ComponentChildren } from "preact";

/** The meaning of a badge: its color repeats what its text says. */
export type BadgeKind = "neutral" | "good" | "warning" | "bad";

interface BadgeProps {
  readonly kind?: BadgeKind | undefined;
  readonly children: ComponentChildren;
}

/** A short state in words. */
export function Badge({ kind = "neutral", children }: BadgeProps) {
  return <span class={`badge badge-${kind}`}>{children}</span>;
}
