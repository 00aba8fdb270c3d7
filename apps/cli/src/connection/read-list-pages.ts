/** The service's maximum page size. */
const PAGE_SIZE = 1000;

export interface PageRequest {
  readonly pageSize: number;
  readonly pageToken?: string;
}

/** The response to a list request. Besides `nextPageToken` and unknown fields, it contains only the list itself. */
interface PageResponse {
  /** Empty on the last page. */
  readonly nextPageToken: string;
  /** Fields of a newer service that this version does not know. */
  readonly $unknown?: unknown;
}

type ItemOf<Response> = Extract<Response[Exclude<keyof Response, "$unknown">], readonly unknown[]>[number];

/** Reads a list page by page on demand. Stops at the end of the list, or after `limit` items. */
export async function* readListPages<Response extends PageResponse>(
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
