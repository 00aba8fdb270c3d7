import type { ComponentChildren } from "preact";

interface FactProps {
  readonly name: string;
  readonly kind?: "bad" | "wide" | undefined;
  readonly value: ComponentChildren;
}

export function LabeledValue({ name, kind, value }: FactProps) {
  return (
    <div class={kind === undefined ? "fact" : `fact fact-${kind}`}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
