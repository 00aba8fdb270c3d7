import type { PagedList } from "./use-paged-list";

interface PagerProps {
  /** Names the entries of the list, such as `calls`. */
  readonly what: string;
  readonly list: PagedList<unknown>;
}

/** Buttons for the previous and next page of a list; nothing if the list has only one page. */
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
