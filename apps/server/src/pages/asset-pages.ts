import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SitePage } from "../http/site-page.js";
import { contentTypeOf, createFile, createFilePage, type ServedFile } from "./file-page.js";
import { SECURITY_HEADERS } from "./page-headers.js";

/** Assets can be cached forever, because their names contain a hash of their content. */
const ASSET_HEADERS = { ...SECURITY_HEADERS, "cache-control": "public, max-age=31536000, immutable" };

/** Creates a page for each built asset in a folder, by name. An asset is read on the first request for it. */
export function createAssetPages(folder: string): readonly (readonly [name: string, page: SitePage])[] {
  return readdirSync(folder)
    .filter((name) => contentTypeOf(name) !== undefined)
    .map((name) => {
      let file: ServedFile | undefined;
      const read = () => {
        file ??= readAsset(join(folder, name));
        return file;
      };
      return [name, createFilePage(read, ASSET_HEADERS)] as const;
    });
}

/** Reads an asset, with the compressed files that the build created. */
function readAsset(path: string): ServedFile {
  const encoded: ServedFile["encoded"] = new Map([
    ["br", readFileSync(`${path}.br`)],
    ["gzip", readFileSync(`${path}.gz`)],
  ]);
  return createFile(contentTypeOf(path) ?? "", readFileSync(path), encoded);
}
