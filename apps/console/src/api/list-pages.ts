/** Reads a list of the API page by page on demand; each page has the token of the next. */
export async function* listPages<P extends { readonly nextPageToken: string }>(
  readPage: (pageToken: string | undefined) => Promise<P>,
): AsyncGenerator<P> {
  let pageToken: string | undefined;
  do {
    const page = await readPage(pageToken);
    yield page;
    pageToken = page.nextPageToken || undefined;
  } while (pageToken !== undefined);
}
