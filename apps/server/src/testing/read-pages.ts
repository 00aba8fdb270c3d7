import type { PageJson } from "./api-client.js";

/** Reads a list page by page, and returns the entries of all pages. */
export async function readPages<T>(list: (page: { page_token?: string }) => Promise<PageJson<T>>): Promise<T[]> {
  const entries: T[] = [];
  for (let page = {}; ; ) {
    const read = await list(page);
    entries.push(...read.entries);
    if (read.nextPageToken === "") return entries;
    page = { page_token: read.nextPageToken };
  }
}
