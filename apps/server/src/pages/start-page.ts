import type { Exchange } from "@calltrack/http";
import { PAGE_HEADERS, readPageFile } from "./api-pages.js";
import { createFilePages } from "./file-pages.js";

const PATH = "/";

/**
 * Creates the start page at `/`, for browsers: it links the other pages. Returns false for requests that it leaves to the API,
 * which are all that do not accept HTML.
 */
export function createStartPage(): (exchange: Exchange) => boolean {
  const page = createFilePages(new Map([[PATH, readPageFile("start.html")]]), PAGE_HEADERS).get(PATH);
  return (exchange) => {
    const { target, method, headers } = exchange;
    const isPage = (target === PATH || target.startsWith("/?")) && (method === "GET" || method === "HEAD");
    if (!isPage || !/\btext\/html\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/i.test(headers.accept ?? "")) return false;
    page?.(exchange);
    return true;
  };
}
