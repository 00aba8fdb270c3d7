import type { PagedList } from "./use-paged-list";

interface PagerProps {
  /** The thing on the pages, such as `calls`. */
  readonly what: string;
  readonly list: PagedList<unknown>;
  /** The token of the next page; empty if there is none. */
  readonly nextToken: string;
}

/** Moves between the pages of a list. Nothing if there is only one page. */
export function Pager({ what, list: { page, next, back }, nextToken }: PagerProps) {
  if (page === 1 && nextToken === "") return null;
  return (
    <nav class="pager" aria-label={`Pages of ${what}`}>
      <button type="button" disabled={page === 1} onClick={back}>
        Previous
      </button>
      <span>Page {page}</span>
      <button type="button" disabled={nextToken === ""} onClick={() => next(nextToken)}>
        Next
      </button>
    </nav>
  );
}
