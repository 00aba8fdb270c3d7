import { open, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { createPrivateFolder } from "../../files/private-folder.js";
import { tryLockFile } from "../../files/process-lock.js";

const FILE = "routing-cache.ndjson";
const LOCK_FILE = "routing-cache.lock";

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

/** Replaces the cache file atomically. Returns false if the file is younger than `minAgeMs` or another process is replacing it. */
export async function writeRoutingCacheFile(
  folder: string,
  lines: readonly string[],
  minAgeMs: number,
): Promise<boolean> {
  createPrivateFolder(folder);
  const path = join(folder, FILE);
  const savedAt = await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
  if (Date.now() - savedAt < minAgeMs) return false;
  const lock = tryLockFile(join(folder, LOCK_FILE), 0);
  if (lock === undefined) return false;
  try {
    await writeLines(`${path}.new`, [HEADER, ...lines]);
    await rename(`${path}.new`, path);
    return true;
  } finally {
    lock.release();
  }
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
