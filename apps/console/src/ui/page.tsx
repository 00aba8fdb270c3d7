import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";

interface PageProps {
  readonly title: string;
  /** Breadcrumb links to the parent pages, outermost page first. */
  readonly path?: readonly (readonly [text: string, href: string])[];
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A page with breadcrumbs, title, actions and content. Sets the document's title. */
export function Page({ title, path = [], actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Calltrack`;
  }, [title]);
  return (
    <>
      {path.length > 0 && (
        <nav class="path" aria-label="Path">
          {path.map(([text, href]) => (
            <a key={href} href={href}>
              {text}
            </a>
          ))}
        </nav>
      )}
      <header class="page-head">
        <h1 tabIndex={-1}>{title}</h1>
        <div class="actions">{actions}</div>
      </header>
      {children}
    </>
  );
}
