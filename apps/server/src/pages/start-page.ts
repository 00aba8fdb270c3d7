import type { Config } from "../config/config.js";
import type { Page } from "../http/page.js";
import { readPageFile } from "./api-pages.js";
import { createFile, createFilePage, type ServedFile } from "./file-page.js";
import { createPageHeaders } from "./page-headers.js";

/** Creates the start page at `/`, for browsers: it links the other pages. It leaves requests that do not accept HTML to the API. */
export function createStartPage(config: Pick<Config, "hasConsole">): Page {
  const page = createFilePage(readStartPage(config), createPageHeaders());
  return (request) => {
    const { method } = request;
    if (
      (method !== "GET" && method !== "HEAD") ||
      !/\btext\/html\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/i.test(request.header("accept") ?? "")
    )
      return false;
    return page(request);
  };
}

/** The line of the start page that links the console. */
const CONSOLE_LINK = /^.*href="console\/".*\n/m;

function readStartPage({ hasConsole }: Pick<Config, "hasConsole">): ServedFile {
  const file = readPageFile("start.html");
  if (hasConsole) return file;
  return createFile(file.contentType, Buffer.from(Buffer.from(file.bytes).toString().replace(CONSOLE_LINK, "")));
}
