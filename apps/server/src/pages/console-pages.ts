import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { textToHeaderValue } from "@calltrack/transcoding";
import type { Config } from "../config/config.js";
import type { SitePage, SitePages } from "../http/site-page.js";
import { contentTypeOf, createFile, createFilePage, type ServedFile } from "./file-page.js";
import { findConsoleFolder } from "./package-file.js";
import { createPageHeaders, SECURITY_HEADERS } from "./page-headers.js";
import { createReadOnlyPage } from "./read-only-page.js";

/** The name of an asset contains a hash of its content. */
const ASSET_HEADERS = { ...SECURITY_HEADERS, "cache-control": "public, max-age=31536000, immutable" };

/** The place of the settings in the built page. */
const SETTINGS_MARK = "{{settings}}";

/**
 * Creates the console: `/console/`, its assets, and a redirect from `/console`. They are served with and without the base path,
 * because the console derives the API's address from its own. Empty with `CONSOLE=off`.
 */
export function createConsolePages(config: Pick<Config, "auth" | "basePath" | "hasConsole">): SitePages {
  if (!config.hasConsole) return new Map();
  const folder = findConsoleFolder();
  const html = readFileSync(join(folder, "index.html"), "utf8").replace(
    SETTINGS_MARK,
    escapeAttribute(JSON.stringify(settingsOf(config))),
  );
  const page = createFile("text/html; charset=utf-8", Buffer.from(html));
  const pageHeaders = createPageHeaders(["data:"], issuersOf(config));
  const assets = readAssets(join(folder, "assets"));
  const roots = ["/console", `${config.basePath}/console`];
  return new Map<string, SitePage>(
    roots.flatMap((root) => [
      [root, redirectToFolder] as const,
      [`${root}/`, createFilePage(page, pageHeaders)] as const,
      ...assets.map(([name, file]) => [`${root}/assets/${name}`, createFilePage(file, ASSET_HEADERS)] as const),
    ]),
  );
}

/** The address is relative, because a proxy may have removed a prefix of the path. */
const redirectToFolder = createReadOnlyPage((request) => {
  const query = request.target.indexOf("?");
  const location = `console/${query === -1 ? "" : request.target.slice(query)}`;
  request.respond(308, { location: textToHeaderValue(location) });
});

/** Returns the sign-in methods that the console offers. All of it is public. */
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

/** The address that the console calls besides the server, to sign in. */
function issuersOf({ auth }: Pick<Config, "auth">): readonly string[] {
  return auth?.issuer?.clientId === undefined ? [] : [new URL(auth.issuer.issuer).origin];
}

function readAssets(folder: string): readonly (readonly [name: string, file: ServedFile])[] {
  return readdirSync(folder)
    .filter((name) => contentTypeOf(name) !== undefined)
    .map((name) => {
      const read = (ending: string) => readFileSync(join(folder, name + ending));
      const encoded: ServedFile["encoded"] = new Map([
        ["br", read(".br")],
        ["gzip", read(".gz")],
      ]);
      return [name, createFile(contentTypeOf(name) ?? "", read(""), encoded)];
    });
}
