import type { NodeRequest } from "@calltrack/transcoding/node";
import type { Config } from "../config/config.js";
import type { SitePages } from "../http/site-page.js";
import { readPageFile } from "./docs-pages.js";
import { createFile, createFilePage, type ServedFile } from "./file-page.js";
import { createPageHeaders } from "./page-headers.js";

/** Creates the start page at `/`, which says what to do next: HTML with links for browsers, JSON for programs that accept it, and text otherwise. */
export function createStartPages(config: Pick<Config, "hasConsole">): SitePages {
  const html = readStartPage(config);
  const { text, json } = describePage(Buffer.from(html.bytes).toString());
  const choose = (request: NodeRequest) => {
    const accept = request.header("accept") ?? "";
    if (HTML.test(accept)) return html;
    return JSON_TYPE.test(accept) ? json : text;
  };
  return new Map([["/", createFilePage(choose, { ...createPageHeaders(), vary: "accept, accept-encoding" })]]);
}

/** Match an Accept header that contains the type, unless its quality is 0. */
const HTML = /\btext\/html\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;
const JSON_TYPE = /\bapplication\/json\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;

/** The line of the start page that links to the console. */
const CONSOLE_LINK = /\n[^\n"]*"console\/"[^\n]*/;

function readStartPage({ hasConsole }: Pick<Config, "hasConsole">): ServedFile {
  const file = readPageFile("start.html");
  if (hasConsole) return file;
  return createFile(file.contentType, Buffer.from(Buffer.from(file.bytes).toString().replace(CONSOLE_LINK, "")));
}

const LINK = /<a href="([^"]+)">([^<]+)<\/a> <span>([^<]+)</g;

/** Returns the page's description and links as text and as JSON. */
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
    text: createFile("text/plain; charset=utf-8", Buffer.from(text)),
    json: createFile("application/json", Buffer.from(json)),
  };
}
