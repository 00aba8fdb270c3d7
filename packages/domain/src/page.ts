import type { FieldCheck } from "./field-check.js";

/** The most entries of a page. */
export const LARGEST_PAGE = 1000;

/** Which part of a list a request asks for. */
export interface PageRequest {
  /** The most entries to return, 1 to 1000; undefined for all that remain. */
  readonly size: number | undefined;
  /** The token of the page before; undefined for the start. */
  readonly token: string | undefined;
}

/** Reads the paging fields of a list request (AIP-158): a size over 1000 is taken as 1000, an empty token as none. */
export function parsePage(
  check: FieldCheck,
  request: { readonly pageSize?: number | undefined; readonly pageToken?: string | undefined },
): PageRequest {
  const size = check.optional("page_size", request.pageSize, pageSizeProblem);
  return { size: size && Math.min(size, LARGEST_PAGE), token: request.pageToken || undefined };
}

function pageSizeProblem(size: number): string | undefined {
  return size >= 1 ? undefined : "must be at least 1";
}
