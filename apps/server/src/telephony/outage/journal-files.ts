import { randomUUID } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { copyFile, type FileHandle, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { createPrivateFolder } from "../../files/private-folder.js";
import { type ProcessLock, tryLockFile } from "../../files/process-lock.js";

/** A segment of this size gets no further records. */
const SEGMENT_BYTES = 1024 * 1024;

/** Another process can take the lock of a new file for a moment. After this number of attempts, the file system does not support locks. */
const MAX_LOCK_ATTEMPTS = 20;

/** A record begins with the length and the CRC-32 of its text. */
const HEADER_BYTES = 8;

export interface JournalSegment {
  readonly path: string;
  bytes: number;
  /** The total size of the segment's records that are not applied to the database yet. */
  liveBytes: number;
}

/**
 * The segment files of a journal. Several processes may share the folder. Each process has an id: the names of its segments begin with the
 * id, and the process holds a lock of that name. A free lock means that its process has ended.
 *
 * SQLite is not used, because `node:sqlite` blocks its thread: a slow disk would stop all requests. A database in a worker thread would take
 * as many lines of code, and need leases instead of locks.
 */
export class JournalFiles {
  readonly #folder: string;
  readonly #segments = new Set<JournalSegment>();
  #owner: { readonly id: string; readonly lock: ProcessLock } | undefined;
  #current: { readonly segment: JournalSegment; readonly file: FileHandle } | undefined;
  #created = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The total size of all segments. */
  get bytes(): number {
    return [...this.#segments].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Whether a segment gets further records. */
  isCurrent(segment: JournalSegment): boolean {
    return segment === this.#current?.segment;
  }

  /** Appends records, syncs them to the disk, and returns their segment. After an error, the next records go to a new segment. */
  async append(records: readonly Uint8Array[]): Promise<JournalSegment> {
    this.#current ??= await this.#create();
    const { segment, file } = this.#current;
    const bytes = Buffer.concat(records);
    segment.bytes += bytes.length;
    try {
      await file.appendFile(bytes);
      await file.datasync();
    } catch (error) {
      await this.endSegment();
      throw error;
    }
    if (segment.bytes >= SEGMENT_BYTES) await this.endSegment();
    return segment;
  }

  /** Completes the current segment. Further records go to a new segment. */
  async endSegment(): Promise<void> {
    const file = this.#current?.file;
    this.#current = undefined;
    await file?.close();
  }

  /**
   * Takes over the segments of ended processes, and yields their records. Omits a record that a crash cut off at the end of a segment.
   *
   * @throws Error after all segments that can be read, if the segments of a process cannot be read.
   */
  async *adopt() {
    const { id } = this.#own();
    const owners = new Set((await readdir(this.#folder)).flatMap((name) => ownerOf(name) ?? []));
    owners.delete(id);
    const failures: Error[] = [];
    for (const owner of owners) {
      try {
        yield* this.#adoptFrom(owner);
      } catch (error) {
        failures.push(new Error(`${this.#lockOf(owner)}: ${(error as Error).message}`, { cause: error }));
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, failures.map(({ message }) => message).join("; "));
  }

  /** Deletes the segments that contain no pending record. */
  async deleteUnneeded(): Promise<void> {
    for (const segment of this.#segments) {
      if (segment.liveBytes > 0) continue;
      if (this.isCurrent(segment)) await this.endSegment();
      await rm(segment.path, { force: true });
      this.#segments.delete(segment);
    }
  }

  /** Releases the segments, so that another process can adopt them. */
  async close(): Promise<void> {
    await this.endSegment();
    if (this.#owner === undefined) return;
    if (this.#segments.size === 0) this.#owner.lock.delete();
    else this.#owner.lock.release();
    this.#owner = undefined;
  }

  async *#adoptFrom(owner: string) {
    const lock = tryLockFile(this.#lockOf(owner), 0);
    if (lock === undefined) return;
    let isDone = false;
    try {
      yield* this.#adoptSegments(owner);
      isDone = true;
    } finally {
      if (isDone) lock.delete();
      else lock.release();
    }
  }

  async *#adoptSegments(owner: string) {
    const names = (await readdir(this.#folder)).filter((name) => isSegment(name) && ownerOf(name) === owner);
    for (const name of names.toSorted()) {
      const path = join(this.#folder, name);
      const content = await readFile(path);
      const segment: JournalSegment = { path: this.#nextPath(), bytes: content.length, liveBytes: 0 };
      await rename(path, segment.path);
      this.#segments.add(segment);
      const records = [...readRecords(content)];
      segment.liveBytes = records.reduce((sum, { length }) => sum + length, 0);
      yield { segment, records };
    }
  }

  async #create() {
    const segment: JournalSegment = { path: this.#nextPath(), bytes: 0, liveBytes: 0 };
    const file = await open(segment.path, "ax", 0o600);
    this.#segments.add(segment);
    try {
      await syncFolder(this.#folder);
    } catch (error) {
      await file.close();
      throw error;
    }
    return { segment, file };
  }

  #nextPath(): string {
    const number = String(++this.#created).padStart(9, "0");
    return join(this.#folder, `${this.#own().id}-${number}.journal`);
  }

  /** Returns the id of this process and its lock. The first call creates both. */
  #own() {
    if (this.#owner !== undefined) return this.#owner;
    createPrivateFolder(this.#folder);
    for (let attempt = 0; attempt < MAX_LOCK_ATTEMPTS; attempt++) {
      const id = randomUUID();
      const lock = tryLockFile(this.#lockOf(id), 0);
      if (lock !== undefined) {
        this.#owner = { id, lock };
        return this.#owner;
      }
      rmSync(this.#lockOf(id), { force: true });
    }
    throw new Error(`files in ${this.#folder} cannot be locked: use a file system that supports locks`);
  }

  #lockOf(owner: string): string {
    return join(this.#folder, `${owner}.lock`);
  }
}

/** Copies the segments of all processes to another folder, which is created if there are segments. No process may change the segments meanwhile. */
export async function copySegments(from: string, to: string): Promise<void> {
  if (!existsSync(from)) return;
  const names = (await readdir(from)).filter(isSegment);
  if (names.length > 0) createPrivateFolder(to);
  for (const name of names) await copyFile(join(from, name), join(to, name));
}

export function encodeJournalRecord(text: string): Buffer {
  const record = Buffer.allocUnsafe(HEADER_BYTES + Buffer.byteLength(text));
  record.write(text, HEADER_BYTES);
  record.writeUInt32LE(record.length - HEADER_BYTES, 0);
  record.writeUInt32LE(crc32(record.subarray(HEADER_BYTES)), 4);
  return record;
}

/** Returns the text of a record, without checking its header. */
export function decodeJournalRecord(record: Buffer): string {
  return record.toString("utf8", HEADER_BYTES);
}

/** Yields the records before the first torn record. Zeros, which a power cut may leave, count as a torn record. */
function* readRecords(content: Buffer): Generator<Buffer> {
  for (let start = 0; start + HEADER_BYTES < content.length; ) {
    const end = start + HEADER_BYTES + content.readUInt32LE(start);
    const record = content.subarray(start, end);
    const text = record.subarray(HEADER_BYTES);
    if (text.length === 0 || end > content.length || crc32(text) !== content.readUInt32LE(start + 4)) return;
    yield record;
    start = end;
  }
}

function isSegment(name: string): boolean {
  return name.endsWith(".journal");
}

function ownerOf(name: string): string | undefined {
  return /^([\da-f-]{36})(?:-\d{9}\.journal|\.lock)$/.exec(name)?.[1];
}

/** Makes the entries of new files in a folder durable. */
async function syncFolder(folder: string): Promise<void> {
  // Windows cannot sync a folder. A sync is not necessary on Windows, because NTFS journals folder entries.
  if (process.platform === "win32") return;
  await using directory = await open(folder);
  await directory.sync();
}
