import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SitePage } from "../http/site-page.js";
import { contentTypeOf, createFile, createFilePage, type ServedFile } from "./file-page.js";
import { SECURITY_HEADERS } from "./page-headers.js";

/** The name of an asset contains a hash of its content. */
const ASSET_HEADERS = { ...SECURITY_HEADERS, "cache-control": "public, max-age=31536000, immutable" };

/** Creates a page for each built asset of a folder, by its name. An asset is read when it is requested first. */
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

/** Reads an asset in the codings of the build. */
function readAsset(path: string): ServedFile {
  const encoded: ServedFile["encoded"] = new Map([
    ["br", readFileSync(`${path}.br`)],
    ["gzip", readFileSync(`${path}.gz`)],
  ]);
  return createFile(contentTypeOf(path) ?? "", readFileSync(path), encoded);
}
