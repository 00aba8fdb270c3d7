interface PagerProps {
  /** The thing on the pages, such as `calls`. */
  readonly what: string;
  /** The number of the page, from 1. */
  readonly page: number;
  readonly hasNext: boolean;
  readonly onNext: () => void;
  readonly onBack: () => void;
}

/** Moves between the pages of a list. Nothing if there is only one page. */
export function Pager({ what, page, hasNext, onNext, onBack }: PagerProps) {
  if (page === 1 && !hasNext) return null;
  return (
    <nav class="pager" aria-label={`Pages of ${what}`}>
      <button type="button" disabled={page === 1} onClick={onBack}>
        Previous
      </button>
      <span>Page {page}</span>
      <button type="button" disabled={!hasNext} onClick={onNext}>
        Next
      </button>
    </nav>
  );
}
