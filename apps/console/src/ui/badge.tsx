import type { ComponentChildren } from "preact";

/** Sets the color of a badge. The color adds no information to the text. */
export type BadgeKind = "neutral" | "good" | "warning" | "bad";

interface BadgeProps {
  readonly kind?: BadgeKind | undefined;
  readonly children: ComponentChildren;
}

export function Badge({ kind = "neutral", children }: BadgeProps) {
  return <span class={`badge badge-${kind}`}>{children}</span>;
}
