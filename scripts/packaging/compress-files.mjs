import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/** Writes compressed copies (.br and .gz) of each file in a folder, because the server itself does not compress files. */
export function compressFiles(folder) {
  for (const name of readdirSync(folder)) {
    if (/\.(?:br|gz)$/.test(name)) continue;
    const bytes = readFileSync(join(folder, name));
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    };
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes, { params }));
    writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }));
  }
}
