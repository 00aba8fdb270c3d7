import type { FieldCheck } from "./field-check.js";

export const MAX_PAGE_SIZE = 1000;

/** The page of a list that a request selects. */
export interface PageRequest {
  /** Maximum number of entries to return, 1 to 1000; undefined to return all remaining entries. */
  readonly size: number | undefined;
  /** The token from the previous page; undefined to select the first page. */
  readonly token: string | undefined;
}

/** Reads the pagination fields of a list request (AIP-158). Reduces sizes over 1000 to 1000; an empty token counts as unset. */
export function parsePagination(
  check: FieldCheck,
  request: { readonly pageSize?: number | undefined; readonly pageToken?: string | undefined },
): PageRequest {
  const size = check.optional("page_size", request.pageSize, findPageSizeProblem);
  return { size: size && Math.min(size, MAX_PAGE_SIZE), token: request.pageToken || undefined };
}

function findPageSizeProblem(size: number): string | undefined {
  return size >= 1 ? undefined : "must be at least 1";
}
