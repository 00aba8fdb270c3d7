/** A page of a list of the API. */
export interface ListPage {
  /** The token of the next page; empty on the last. */
  readonly nextPageToken: string;
}

/** The entries of a list, from the first on. */
export interface ListStart<T> {
  readonly entries: readonly T[];
  /** Whether the list has further entries. */
  readonly isCut: boolean;
}

/** The largest page that the API returns. */
const MAX_PAGE_SIZE = 1000;

/**
 * Reads a list of the API page by page.
 *
 * @param max the maximum number of entries to read; all without it.
 */
export async function readList<P extends ListPage, T>(
  readPage: (page: { readonly pageSize: number; readonly pageToken: string | undefined }) => Promise<P>,
  entriesOf: (page: P) => readonly T[],
  max = Number.POSITIVE_INFINITY,
): Promise<ListStart<T>> {
  const entries: T[] = [];
  let pageToken: string | undefined;
  do {
    const page = await readPage({ pageSize: Math.min(max - entries.length, MAX_PAGE_SIZE), pageToken });
    entries.push(...entriesOf(page));
    pageToken = page.nextPageToken || undefined;
  } while (pageToken !== undefined && entries.length < max);
  return { entries, isCut: pageToken !== undefined };
}
