import { createHash } from "node:crypto";
import { DomainError, type PageRequest, parseUuid } from "@calltrack/domain";

/** Sorts before every id that the service gives: the start of a list that is ordered by UUIDs. */
export const BEFORE_ALL_IDS = "00000000-0000-0000-0000-000000000000";

const CHECK_BYTES = 8;

/** The part of a list that a statement reads. */
export interface PageBounds {
  /** The key of the entry before the part, or undefined for the start of the list. */
  readonly after: string | undefined;
  /** One more than the page holds, to see whether there is a next one; null for no limit. */
  readonly limit: number | null;
}

/** A list that is read page by page. */
export interface PagedList<T> {
  /** Such as `pools`. */
  readonly name: string;
  /** The key by which the list is ordered. */
  readonly keyOf: (entry: T) => string;
  /** Whether a text can be such a key: the statement would fail on anything else. */
  readonly isKey: (text: string) => boolean;
}

/** A list that is ordered by the UUIDs of its entries. */
export function listById<T extends { readonly id: string }>(name: string): PagedList<T> {
  return { name, keyOf: ({ id }) => id, isKey: (text) => parseUuid(text) !== undefined };
}

/** One page of a list. */
export interface Page<T> {
  readonly entries: T[];
  /** Empty if there are no more. */
  readonly nextPageToken: string;
}

/**
 * Reads one page of a list. Page tokens are opaque (AIP-158), hold nothing secret, and are bound to their list by a check
 * value, and to the owner of the list by its id, which is known only once the list is read.
 *
 * @param read gives the entries of the part, and the id of the owner of the list: empty where it has none.
 * @throws DomainError `PAGE_TOKEN_INVALID` if the token is not of this list of this owner.
 */
export async function readPage<T>(
  list: PagedList<T>,
  page: PageRequest,
  read: (bounds: PageBounds) => Promise<{ readonly owner: string; readonly entries: T[] }>,
): Promise<Page<T>> {
  const start = page.token === undefined ? undefined : parsePageToken(list, page.token);
  const limit = page.size === undefined ? null : page.size + 1;
  const { owner, entries } = await read({ after: start?.after, limit });
  if (start !== undefined && start.owner !== owner) throw new DomainError("PAGE_TOKEN_INVALID", {});
  if (page.size === undefined || entries.length <= page.size) return { entries, nextPageToken: "" };
  const shown = entries.slice(0, page.size);
  return { entries: shown, nextPageToken: formatPageToken(list, owner, list.keyOf(shown[shown.length - 1] as T)) };
}

function formatPageToken<T>(list: PagedList<T>, owner: string, after: string): string {
  const payload = `${owner}/${after}`;
  const check = createHash("sha256").update(`${list.name}/${payload}`).digest().subarray(0, CHECK_BYTES);
  return Buffer.concat([check, Buffer.from(payload)]).toString("base64url");
}

function parsePageToken<T>(list: PagedList<T>, token: string): { readonly owner: string; readonly after: string } {
  const [owner = "", after = ""] = Buffer.from(token, "base64url").subarray(CHECK_BYTES).toString().split("/");
  if (!list.isKey(after) || formatPageToken(list, owner, after) !== token) {
    throw new DomainError("PAGE_TOKEN_INVALID", {});
  }
  return { owner, after };
}
