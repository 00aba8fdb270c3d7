import type { NodeRequest } from "@calltrack/transcoding/node";
import type { Config } from "../config/config.js";
import type { PageHandlersByPath } from "../http/page-handler.js";
import { readDocsFile } from "./docs-pages.js";
import { createFilePage, createServedFile, type ServedFile } from "./file-page.js";
import { createPageHeaders } from "./page-headers.js";

/** Creates the start page at `/`, which links to the other pages. Sends HTML to browsers, JSON to clients that accept it, and otherwise text. */
export function createStartPages(config: Pick<Config, "hasConsole">): PageHandlersByPath {
  const html = readStartPage(config);
  const { text, json } = describePage(Buffer.from(html.bytes).toString());
  const choose = (request: NodeRequest) => {
    const accept = request.header("accept") ?? "";
    if (HTML.test(accept)) return html;
    return JSON_TYPE.test(accept) ? json : text;
  };
  return new Map([["/", createFilePage(choose, { ...createPageHeaders(), vary: "accept, accept-encoding" })]]);
}

/** Matches an Accept header that contains `text/html`, unless the quality of that type is 0. `JSON_TYPE` does the same for JSON. */
const HTML = /\btext\/html\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;
const JSON_TYPE = /\bapplication\/json\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;

/** Matches the line of the start page that links to the console. */
const CONSOLE_LINK = /\n[^\n"]*"console\/"[^\n]*/;

function readStartPage({ hasConsole }: Pick<Config, "hasConsole">): ServedFile {
  const file = readDocsFile("start.html");
  if (hasConsole) return file;
  return createServedFile(file.contentType, Buffer.from(Buffer.from(file.bytes).toString().replace(CONSOLE_LINK, "")));
}

const LINK = /<a href="([^"]+)">([^<]+)<\/a> <span>([^<]+)</g;

/** Returns the description and the links of the start page as a text file and as a JSON file. */
function describePage(html: string): { readonly text: ServedFile; readonly json: ServedFile } {
  const [, description = ""] = /<p>([^<]*)<\/p>/.exec(html) ?? [];
  const links = Array.from(html.matchAll(LINK), ([, path, title, description]) => ({
    path: `/${path}`,
    title,
    description,
  }));
  const lines = links.map(({ path, title, description }) => `  ${path.padEnd(14)} ${title}: ${description}\n`);
  const text = `Calltrack. ${description}\n\n${lines.join("")}`;
  const json = JSON.stringify({ name: "Calltrack", description, links });
  return {
    text: createServedFile("text/plain; charset=utf-8", Buffer.from(text)),
    json: createServedFile("application/json", Buffer.from(json)),
  };
}
