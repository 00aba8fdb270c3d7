import { readFileSync } from "node:fs";
import { join } from "node:path";
import { textToHeaderValue } from "@calltrack/transcoding";
import type { Config } from "../config/config.js";
import type { PageHandler, PageHandlersByPath } from "../http/page-handler.js";
import { createAssetPages } from "./asset-pages.js";
import { createFilePage, createServedFile } from "./file-page.js";
import { findConsoleFolder } from "./package-file.js";
import { createPageHeaders } from "./page-headers.js";
import { createReadOnlyPage } from "./read-only-page.js";

/** The placeholder for the settings in the console's built HTML page. */
const SETTINGS_MARK = "{{settings}}";

/**
 * Creates the pages of the console: `/console/`, its assets, and a redirect from `/console`. They are served with and without the base path,
 * because the console derives the address of the API from its own address. Returns no pages with `CONSOLE=off`.
 */
export function createConsolePages(config: Pick<Config, "auth" | "basePath" | "hasConsole">): PageHandlersByPath {
  if (!config.hasConsole) return new Map();
  const folder = findConsoleFolder();
  const settings = escapeAttribute(JSON.stringify(settingsOf(config)));
  // A function, because `replace` gives a dollar sign in a text a special meaning.
  const html = readFileSync(join(folder, "index.html"), "utf8").replace(SETTINGS_MARK, () => settings);
  const page = createServedFile("text/html; charset=utf-8", Buffer.from(html));
  const pageHeaders = createPageHeaders({ images: ["data:"], connections: issuersOf(config) });
  const assets = createAssetPages(join(folder, "assets"));
  const roots = ["/console", `${config.basePath}/console`];
  return new Map<string, PageHandler>(
    roots.flatMap((root) => [
      [root, redirectToFolder] as const,
      [`${root}/`, createFilePage(page, pageHeaders)] as const,
      ...assets.map(([name, asset]) => [`${root}/assets/${name}`, asset] as const),
    ]),
  );
}

/** Redirects to a relative address, because a proxy may have removed a prefix of the path. */
const redirectToFolder = createReadOnlyPage((request) => {
  const location = request.target.replace(/^[^?]*/, "console/");
  request.respond(308, { location: textToHeaderValue(location) });
});

/** Returns the settings with which the console signs users in. All of them are public. */
function settingsOf({ auth }: Pick<Config, "auth">) {
  return {
    auth: auth !== undefined,
    keys: auth?.keys ?? false,
    issuer: auth?.issuer?.clientId === undefined ? null : auth.issuer.issuer,
    clientId: auth?.issuer?.clientId ?? null,
    audience: auth?.issuer?.audience ?? null,
    scope: auth?.issuer?.signInScope ?? null,
  };
}

function escapeAttribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

/** Returns the origins that the console calls to sign users in, other than the origin of the server. */
function issuersOf({ auth }: Pick<Config, "auth">): readonly string[] {
  return auth?.issuer?.clientId === undefined ? [] : [new URL(auth.issuer.issuer).origin];
}
