import type { Exchange } from "@calltrack/http";
import type { Config } from "../config/config.js";
import type { Page } from "../http/page.js";
import { readPageFile } from "./api-pages.js";
import { createFile, createFilePage, type ServedFile } from "./file-page.js";
import { createPageHeaders } from "./page-headers.js";

/**
 * Creates the choice of the start page at `/`, for browsers: it links the other pages. Returns undefined for requests that belong to
 * the API, which are all that do not accept HTML.
 */
export function createStartPage(config: Pick<Config, "hasConsole">): (exchange: Exchange) => Page | undefined {
  const page = createFilePage(readStartPage(config), createPageHeaders());
  return ({ target, method, headers }) => {
    const isPage = (target === "/" || target.startsWith("/?")) && (method === "GET" || method === "HEAD");
    if (!isPage || !/\btext\/html\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/i.test(headers.accept ?? "")) return undefined;
    return page;
  };
}

/** The line of the start page that links the console. */
const CONSOLE_LINK = /^.*href="console\/".*\n/m;

function readStartPage({ hasConsole }: Pick<Config, "hasConsole">): ServedFile {
  const file = readPageFile("start.html");
  if (hasConsole) return file;
  return createFile(file.contentType, Buffer.from(Buffer.from(file.bytes).toString().replace(CONSOLE_LINK, "")));
}
