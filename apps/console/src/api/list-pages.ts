/** A page of a list of the API. */
export interface ListPage {
  /** The token of the next page; empty on the last. */
  readonly nextPageToken: string;
}

/** Reads a list of the API page by page on demand. */
export async function* listPages<P extends ListPage>(
  readPage: (pageToken: string | undefined) => Promise<P>,
): AsyncGenerator<P> {
  let pageToken: string | undefined;
  do {
    const page = await readPage(pageToken);
    yield page;
    pageToken = page.nextPageToken || undefined;
  } while (pageToken !== undefined);
}
