import { hash } from "node:crypto";
import { DomainError, type PageRequest, parseUuid } from "@calltrack/domain";

/** The UUID of zeros. It sorts before all ids, so lists that are ordered by UUID start after it. */
export const NIL_UUID = "00000000-0000-0000-0000-000000000000";

const CHECK_BYTES = 8;

/** How many entries a statement reads if a list is returned whole. Larger statements would delay other requests. */
const BATCH = 1000;

/** How many entries a statement reads for an export. These entries stay in memory until the client has read them. */
const EXPORT_BATCH = 50;

/** How many entries the first statement reads if a list is returned whole. Most lists have fewer entries. */
const FIRST_BATCH = 100;

/** The range of the list entries that a statement reads. */
export interface PageBounds {
  /** The key of the entry that precedes the first one to read; undefined to read from the start of the list. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** Describes a list that is read in pages. Its order and its page tokens depend on the keys of the entries. */
export interface PagedList<T> {
  /** The name of the list, such as `pools`. */
  readonly name: string;
  readonly keyOf: (entry: T) => string;
  /** Returns whether a text is a valid key. A statement would fail on an invalid key. */
  readonly isKey: (text: string) => boolean;
}

/** Describes a list that is ordered by the UUIDs of its entries. */
export function createPagedListById<T extends { readonly id: string }>(name: string): PagedList<T> {
  return { name, keyOf: ({ id }) => id, isKey: (text) => parseUuid(text) !== undefined };
}

export interface ListPage<T> {
  readonly entries: T[];
  /** Empty on the last page. */
  readonly nextPageToken: string;
}

/**
 * Reads one page of a list.
 *
 * @param owner a text that identifies the owner and the filter of the list; empty if the list has neither.
 * @param read returns the entries within the bounds. Its errors take precedence over `PAGE_TOKEN_INVALID`.
 * @throws DomainError `PAGE_TOKEN_INVALID` if the page token is for another owner or filter
 */
export type PageReader<T> = (owner: string, read: (bounds: PageBounds) => Promise<T[]>) => Promise<ListPage<T>>;

/**
 * Creates the function that reads one page of a list. Page tokens are opaque (AIP-158). They contain the owner, the key of the last entry,
 * and a check value that ties the token to its list. They contain no secrets.
 *
 * @throws DomainError `PAGE_TOKEN_INVALID` if the page token is malformed or for another list
 */
export function createPageReader<T>(list: PagedList<T>, page: PageRequest): PageReader<T> {
  const start = page.token === undefined ? undefined : parsePageToken(list, page.token);
  // Reads one entry more than the page contains, to detect whether there is a next page.
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

/** Returns all entries of a list. `first` contains the entries that the first statement has read. */
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
 * Reads a whole list in batches, with a statement for each batch. A cursor would occupy a connection until the client has read everything, and
 * the embedded database has only one connection.
 */
export async function* readListInBatches<T>(
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
