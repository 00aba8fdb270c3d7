import type { ComponentChildren } from "preact";

interface FactProps {
  readonly name: string;
  readonly kind?: "bad" | "wide" | undefined;
  readonly children: ComponentChildren;
}

/** A named figure in a list of facts. */
export function Fact({ name, kind, children }: FactProps) {
  return (
    <div class={kind === undefined ? "fact" : `fact fact-${kind}`}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
