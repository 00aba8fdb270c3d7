// Packs the files of an empty database into dist/new-database.tar.gz. New embedded databases are copies of it, because initdb, compiled to
// WebAssembly, takes 4 seconds of processor time.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";

const folder = mkdtempSync(join(tmpdir(), "calltrack-new-database-"));
try {
  // Stops PostgreSQL before its files are packed. It would otherwise repair each copy when it starts.
  await (await PGlite.create(folder)).close();
  const stopped = await PGlite.create(folder, { noInitDb: true });
  const archive = await stopped.dumpDataDir("gzip");
  writeFileSync(join(import.meta.dirname, "dist", "new-database.tar.gz"), await archive.bytes());
} finally {
  rmSync(folder, { recursive: true });
}
