import { hash } from "node:crypto";
import { DomainError, type PageRequest, parseUuid } from "@calltrack/domain";

/** The start of lists that are ordered by UUID: it sorts before all ids. */
export const BEFORE_ALL_IDS = "00000000-0000-0000-0000-000000000000";

const CHECK_BYTES = 8;

/** Number of entries of a whole list that are read at a time. Reading more would delay other requests. */
const BATCH = 1000;

/** Number of entries of an export that are read at a time. They stay in memory until the client has read them. */
const EXPORT_BATCH = 50;

/** Number of entries of a whole list that are read first. Most lists have fewer. */
const FIRST_BATCH = 100;

/** The range of a list that a statement reads. */
export interface PageBounds {
  /** The key of the entry before the range; undefined for the start of the list. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** A list that is read page by page. */
export interface PagedList<T> {
  /** The name of the list, such as `pools`. */
  readonly name: string;
  readonly keyOf: (entry: T) => string;
  /** Whether a text is a valid key; a statement would fail on any other text. */
  readonly isKey: (text: string) => boolean;
}

/** Creates a list that is ordered by the UUIDs of its entries. */
export function pagedListById<T extends { readonly id: string }>(name: string): PagedList<T> {
  return { name, keyOf: ({ id }) => id, isKey: (text) => parseUuid(text) !== undefined };
}

export interface Page<T> {
  readonly entries: T[];
  /** Empty on the last page. */
  readonly nextPageToken: string;
}

/**
 * Reads one page of a list.
 *
 * @param owner identifies the list's owner and filter; empty if it has neither.
 * @param read returns the entries of a range. Its errors take precedence over `PAGE_TOKEN_INVALID`.
 * @throws DomainError `PAGE_TOKEN_INVALID` if the page's token is for another owner or filter
 */
export type PageReader<T> = (owner: string, read: (bounds: PageBounds) => Promise<T[]>) => Promise<Page<T>>;

/**
 * Creates the reader of a page. Page tokens are opaque (AIP-158) and contain no secrets. They contain the owner, and a check value that ties
 * them to their list.
 *
 * @throws DomainError `PAGE_TOKEN_INVALID` if the token is malformed or for another list
 */
export function openPage<T>(list: PagedList<T>, page: PageRequest): PageReader<T> {
  const start = page.token === undefined ? undefined : parsePageToken(list, page.token);
  // Reads one entry more than the page, to detect a next page.
  const limit = page.size === undefined ? FIRST_BATCH : page.size + 1;
  return async (owner, read) => {
    const entries = await read({ after: start?.after, limit });
    if (start !== undefined && start.owner !== owner) throw new DomainError("PAGE_TOKEN_INVALID", {});
    if (page.size === undefined) return { entries: await readRest(list, entries, read), nextPageToken: "" };
    if (entries.length <= page.size) return { entries, nextPageToken: "" };
    const shown = entries.slice(0, page.size);
    const last = list.keyOf(shown[shown.length - 1] as T);
    return { entries: shown, nextPageToken: formatPageToken(list, owner, last) };
  };
}

/** Returns all entries of a list, whose first batch was read already. */
async function readRest<T>(
  list: PagedList<T>,
  first: readonly T[],
  read: (bounds: PageBounds) => Promise<T[]>,
): Promise<T[]> {
  const entries = [...first];
  for (let last = first[FIRST_BATCH - 1]; last !== undefined; ) {
    const batch = await read({ after: list.keyOf(last), limit: BATCH });
    entries.push(...batch);
    last = batch[BATCH - 1];
  }
  return entries;
}

/**
 * Reads a whole list in batches. An open cursor would occupy a connection for as long as the client reads, and the embedded engine has only
 * one connection.
 */
export async function* readBatches<T>(
  list: PagedList<T>,
  signal: AbortSignal,
  read: (bounds: PageBounds) => Promise<T[]>,
): AsyncGenerator<T[], void, undefined> {
  for (let after: string | undefined; ; ) {
    signal.throwIfAborted();
    const entries = await read({ after, limit: EXPORT_BATCH });
    yield entries;
    const last = entries[EXPORT_BATCH - 1];
    if (last === undefined) return;
    after = list.keyOf(last);
  }
}

function formatPageToken<T>(list: PagedList<T>, owner: string, after: string): string {
  const payload = `${owner}/${after}`;
  const check = hash("sha256", `${list.name}/${payload}`, "buffer").subarray(0, CHECK_BYTES);
  return Buffer.concat([check, Buffer.from(payload)]).toString("base64url");
}

function parsePageToken<T>(list: PagedList<T>, token: string): { readonly owner: string; readonly after: string } {
  const [owner = "", after = ""] = Buffer.from(token, "base64url").subarray(CHECK_BYTES).toString().split("/");
  if (!list.isKey(after) || formatPageToken(list, owner, after) !== token) {
    throw new DomainError("PAGE_TOKEN_INVALID", {});
  }
  return { owner, after };
}
