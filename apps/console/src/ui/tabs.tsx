import type { ComponentChildren } from "preact";

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly (readonly [text: ComponentChildren, href: string, isCurrent: boolean])[];
}

/** Links to the pages about one thing, such as a pool, shown as tabs. */
export function Tabs({ label, tabs }: TabsProps) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(([text, href, isCurrent]) => (
        <a key={href} href={href} aria-current={isCurrent ? "page" : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}
