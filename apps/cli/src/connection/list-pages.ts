/** The maximum page size of the service. */
const PAGE_SIZE = 1000;

/** The pagination fields of a list request. */
export interface PageRequest {
  readonly pageSize: number;
  readonly pageToken?: string;
}

/** The pagination field of a list response: empty on the last page. Its only other field is the list. */
interface PageResponse {
  readonly nextPageToken: string;
  /** Fields of a newer service. */
  readonly $unknown?: unknown;
}

/** The type of the items of a list response. */
type ItemOf<Response> = Extract<Response[Exclude<keyof Response, "$unknown">], readonly unknown[]>[number];

/** Reads a list page by page on demand, until it ends or `limit` items are read. */
export async function* listPages<Response extends PageResponse>(
  readPage: (page: PageRequest) => Promise<Response>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<ItemOf<Response>[]> {
  let remaining = limit;
  let page: PageRequest = { pageSize: Math.min(PAGE_SIZE, remaining) };
  for (;;) {
    const { nextPageToken, $unknown: _, ...rest } = await readPage(page);
    const items: ItemOf<Response>[] = Object.values(rest).find(Array.isArray) ?? [];
    yield items;
    remaining -= items.length;
    if (nextPageToken === "" || remaining <= 0) return;
    page = { pageSize: Math.min(PAGE_SIZE, remaining), pageToken: nextPageToken };
  }
}
