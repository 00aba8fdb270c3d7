import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PageHandler } from "../http/page-handler.js";
import { createFilePage, createServedFile, findContentType, type ServedFile } from "./file-page.js";
import { SECURITY_HEADERS } from "./page-headers.js";

/** Lets browsers cache assets for a year, because their names contain a hash of their content. */
const ASSET_HEADERS = { ...SECURITY_HEADERS, "cache-control": "public, max-age=31536000, immutable" };

/** Creates a page for each built asset in a folder, and returns each with its file name. Reads an asset on the first request for it. */
export function createAssetPages(folder: string): readonly (readonly [name: string, page: PageHandler])[] {
  return readdirSync(folder)
    .filter((name) => findContentType(name) !== undefined)
    .map((name) => {
      let file: ServedFile | undefined;
      const read = () => {
        file ??= readAsset(join(folder, name));
        return file;
      };
      return [name, createFilePage(read, ASSET_HEADERS)] as const;
    });
}

/** Reads an asset, and the compressed copies of it that the build created. */
function readAsset(path: string): ServedFile {
  const encoded: ServedFile["encoded"] = new Map([
    ["br", readFileSync(`${path}.br`)],
    ["gzip", readFileSync(`${path}.gz`)],
  ]);
  return createServedFile(findContentType(path) ?? "", readFileSync(path), encoded);
}
