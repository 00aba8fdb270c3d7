export interface ListPage {
  /** Empty on the last page. */
  readonly nextPageToken: string;
}

/** The entries of a list, up to a maximum number. */
export interface PartialList<T> {
  readonly entries: readonly T[];
  /** Whether the complete list has further entries, which are not in `entries`. */
  readonly isCut: boolean;
}

/** The API's limit on `page_size`. */
const MAX_PAGE_SIZE = 1000;

/** Reads a list from the API page by page. Stops after `max` entries; by default, reads all entries. */
export async function readListPages<P extends ListPage, T>(
  readPage: (page: { readonly pageSize: number; readonly pageToken: string | undefined }) => Promise<P>,
  entriesOf: (page: P) => readonly T[],
  max = Number.POSITIVE_INFINITY,
): Promise<PartialList<T>> {
  const entries: T[] = [];
  let pageToken: string | undefined;
  do {
    const page = await readPage({ pageSize: Math.min(max - entries.length, MAX_PAGE_SIZE), pageToken });
    entries.push(...entriesOf(page));
    pageToken = page.nextPageToken || undefined;
  } while (pageToken !== undefined && entries.length < max);
  return { entries, isCut: pageToken !== undefined };
}
