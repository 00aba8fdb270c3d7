import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { createPrivateFolder } from "../../files/private-folder.js";

const FILE = "routing-cache.ndjson";
/** Matches the files that processes write before they replace the cache file. A killed process leaves such a file. */
const UNFINISHED = /^routing-cache\.ndjson\..*\.new$/;

/** An unfinished file of this age belongs to a process that has ended. */
const ABANDONED_MS = 60 * 60_000;

/** The first line of the file. Increase its number when the format of the other lines changes. */
const HEADER = '{"format":"calltrack-routing-cache-1"}';

const LINES_PER_STEP = 500;

/**
 * Returns the JSON lines of the cache file, without its header and checksum.
 *
 * @throws Error if the file is damaged or has another format; ENOENT if it does not exist.
 */
export async function readRoutingCacheFile(folder: string): Promise<string[]> {
  await using file = await open(join(folder, FILE));
  const lines: string[] = [];
  let checksum = 0;
  let isWhole = false;
  for await (const line of file.readLines()) {
    isWhole = line === formatChecksum(checksum);
    checksum = crc32(`${line}\n`, checksum);
    lines.push(line);
  }
  if (lines[0] !== HEADER) throw new Error(`${FILE} has an unknown format`);
  if (!isWhole) throw new Error(`${FILE} is damaged`);
  return lines.slice(1, -1);
}

/**
 * Replaces the cache file atomically. Returns false if the file is younger than `minAgeMs`. Several processes may replace the file at the same time:
 * the last one prevails. A lock would block the thread while the disk does not respond.
 */
export async function writeRoutingCacheFile(
  folder: string,
  lines: readonly string[],
  minAgeMs: number,
): Promise<boolean> {
  if (!existsSync(folder)) createPrivateFolder(folder);
  const path = join(folder, FILE);
  const age = await readAgeMs(path);
  // The age is negative if the clock was set back.
  if (age >= 0 && age < minAgeMs) return false;
  for (const name of await readdir(folder)) {
    const isAbandoned = UNFINISHED.test(name) && (await readAgeMs(join(folder, name))) > ABANDONED_MS;
    if (isAbandoned) await rm(join(folder, name), { force: true });
  }
  const unfinished = `${path}.${randomUUID()}.new`;
  try {
    await writeLines(unfinished, [HEADER, ...lines]);
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  return true;
}

/** Returns the time since a file was changed, in milliseconds; infinity if the file cannot be read. */
async function readAgeMs(path: string): Promise<number> {
  return await stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => Number.POSITIVE_INFINITY,
  );
}

async function writeLines(path: string, lines: readonly string[]): Promise<void> {
  await using file = await open(path, "w", 0o600);
  let checksum = 0;
  for await (const step of batchLines(lines)) {
    const text = step.map((line) => `${line}\n`).join("");
    checksum = crc32(text, checksum);
    await file.appendFile(text);
  }
  await file.appendFile(`${formatChecksum(checksum)}\n`);
  await file.datasync();
}

/** Yields `LINES_PER_STEP` lines at a time, so that the event loop is not blocked. */
export async function* batchLines(lines: readonly string[]): AsyncGenerator<readonly string[]> {
  for (let start = 0; start < lines.length; start += LINES_PER_STEP) {
    yield lines.slice(start, start + LINES_PER_STEP);
    await nextTurn();
  }
}

function formatChecksum(checksum: number): string {
  return JSON.stringify({ crc32: checksum });
}
