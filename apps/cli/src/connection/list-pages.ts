/** The maximum page size of the service. */
const PAGE_SIZE = 1000;

/** The pagination fields of a list request. */
export interface PageRequest {
  readonly pageSize: number;
  readonly pageToken?: string;
}

/** One page of a list response. */
export interface Page<Item> {
  readonly items: Item[];
  /** Empty on the last page. */
  readonly nextPageToken: string;
}

/** Reads a list page by page on demand, until it ends or `limit` items are read. */
export async function* listPages<Item>(
  readPage: (request: PageRequest) => Promise<Page<Item>>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<Item[]> {
  let remaining = limit;
  let request: PageRequest = { pageSize: Math.min(PAGE_SIZE, remaining) };
  for (;;) {
    const { items, nextPageToken } = await readPage(request);
    yield items;
    remaining -= items.length;
    if (nextPageToken === "" || remaining <= 0) return;
    request = { pageSize: Math.min(PAGE_SIZE, remaining), pageToken: nextPageToken };
  }
}
