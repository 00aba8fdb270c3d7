import { existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { pluralize } from "@calltrack/domain";
import type { Config } from "../config/config.js";
import { ConfigError } from "../config/config-error.js";
import { type DatabaseLocation, IN_MEMORY_DIRECTORY } from "../config/database-location.js";
import { runDumpTransaction } from "../database/dump/dump-transaction.js";
import { writeDump } from "../database/dump/write-dump.js";
import { hasDatabase } from "../database/embedded/data-directory.js";
import { fsyncDirectory } from "../files/fsync-tree.js";
import { createLogger } from "../observability/log.js";
import { STDIO_FILE_NAME } from "./command-line.js";
import { openStdout, writeStdout } from "./write-stdout.js";

/** Only the owner may read a dump, because it contains hashes of API keys. */
const OWNER_ONLY = 0o600;

/**
 * Writes all data of the database to a new file, or to stdout. The dump is a consistent snapshot; servers can keep
 * using a PostgreSQL database meanwhile. The file gets its final name only when it is complete.
 *
 * @throws ConfigError if no database is found, the file exists or a server uses the embedded database.
 */
export async function dumpDatabase(
  { database, logLevel }: Pick<Config, "database" | "logLevel">,
  file: string | undefined,
  stop: AbortSignal,
): Promise<void> {
  if (file === undefined)
    throw new ConfigError("dump needs the name of a new file: calltrack-server dump FILE, or dump - for stdout");
  requireData(database);
  if (file !== STDIO_FILE_NAME && existsSync(file))
    throw new ConfigError(`dump must create the file itself: ${file} already exists, so name another file`);
  const log = await createLogger(logLevel);
  const writeTo: WriteTo = (out, end) =>
    runDumpTransaction(database, log, async (db) => {
      let rows = 0;
      const text = writeDump(db, (count) => {
        rows = count;
      });
      await pipeline(text, createGzip(), out, { signal: stop, end });
      return rows;
    });
  if (file === STDIO_FILE_NAME) return writeToStdout(writeTo);
  const rows = await writeToFile(file, writeTo);
  await writeStdout(`dumped ${pluralize(rows, "row")} to ${file}\n`);
}

/** Writes the dump to a stream, ends the stream if `end` is true, and returns the number of rows. */
type WriteTo = (out: NodeJS.WritableStream, end: boolean) => Promise<number>;

function requireData(database: DatabaseLocation): void {
  if (database.kind === "postgres") return;
  const { directory } = database;
  if (directory !== IN_MEMORY_DIRECTORY && hasDatabase(directory)) return;
  throw new ConfigError(`DATA_DIR must be the folder of the database to dump: no database found in ${directory}`);
}

async function writeToStdout(writeTo: WriteTo): Promise<void> {
  const out = openStdout();
  // Does not end the stream: after the end of a pipe, every write to it fails with EPIPE.
  await writeTo(out, false);
  // An empty write completes after all earlier output is written.
  await writeStdout("", out);
}

async function writeToFile(file: string, writeTo: WriteTo): Promise<number> {
  // Two dumps to the same file must not share a temporary file.
  const unfinished = `${file}.${process.pid}.unfinished`;
  await rm(unfinished, { force: true });
  const handle = await open(unfinished, "wx", OWNER_ONLY).catch((error: Error) => {
    throw new ConfigError(`dump cannot write ${file}: ${error.message}`);
  });
  try {
    const rows = await writeTo(handle.createWriteStream({ flush: true }), true);
    await rename(unfinished, file);
    fsyncDirectory(dirname(file));
    return rows;
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
