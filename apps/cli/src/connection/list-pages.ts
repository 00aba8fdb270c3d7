/** The maximum page size of the service. */
const PAGE_SIZE = 1000;

/** The pagination fields of a list request. */
export interface PageRequest {
  readonly pageSize: number;
  readonly pageToken?: string;
}

/** The pagination field of a list response: empty on the last page. */
interface PageResponse {
  readonly nextPageToken: string;
}

/**
 * Reads a list page by page on demand, until it ends or `limit` items are read.
 *
 * @param itemsOf returns the items in a response.
 */
export async function* listPages<Response extends PageResponse, Item>(
  readPage: (page: PageRequest) => Promise<Response>,
  itemsOf: (response: Response) => Item[],
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<Item[]> {
  let remaining = limit;
  let page: PageRequest = { pageSize: Math.min(PAGE_SIZE, remaining) };
  for (;;) {
    const response = await readPage(page);
    const items = itemsOf(response);
    yield items;
    remaining -= items.length;
    if (response.nextPageToken === "" || remaining <= 0) return;
    page = { pageSize: Math.min(PAGE_SIZE, remaining), pageToken: response.nextPageToken };
  }
}
