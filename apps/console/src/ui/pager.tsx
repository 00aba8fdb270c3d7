import type { PagedList } from "./use-paged-list";

interface PagerProps {
  /** The thing on the pages, such as `calls`. */
  readonly what: string;
  readonly list: PagedList<unknown>;
}

/** Moves between the pages of a list. Nothing if there is only one page. */
export function Pager({ what, list: { page, next, back } }: PagerProps) {
  if (back === undefined && next === undefined) return null;
  return (
    <nav class="pager" aria-label={`Pages of ${what}`}>
      <button type="button" aria-disabled={back === undefined} onClick={back}>
        Previous
      </button>
      <span>Page {page}</span>
      <button type="button" aria-disabled={next === undefined} onClick={next}>
        Next
      </button>
    </nav>
  );
}
