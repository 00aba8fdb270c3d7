/** The most that the service puts on one page. */
const PAGE_SIZE = 1000;

/** What a request asks for one page with. */
export interface PageRequest {
  readonly pageSize: number;
  readonly pageToken?: string;
}

/** One page, as the service answers it. */
export interface Page<Item> {
  readonly items: Item[];
  /** Empty: there are no more. */
  readonly nextPageToken: string;
}

/** Reads a list page by page, as each is asked for, until it ends or `limit` items were read. */
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
