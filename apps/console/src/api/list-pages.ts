export interface ListPage {
  /** Empty on the last page. */
  readonly nextPageToken: string;
}

/** The first entries of a list, or all of them. */
export interface ListStart<T> {
  readonly entries: readonly T[];
  /** Whether the list has more entries. */
  readonly isCut: boolean;
}

/** The API's limit. */
const MAX_PAGE_SIZE = 1000;

/** Reads a list from the API page by page, up to `max` entries; all by default. */
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
