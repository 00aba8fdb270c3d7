import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { decodeRecord, encodeRecord, JournalFiles, type Segment } from "./journal-files.js";

const WRITE_BYTES = 1024 * 1024;

/** A full journal is emptied to this share, so that it is not full again with the next entry. */
const SHARE_AFTER_DROP = 0.9;

/** The pause between two passes over the entries. It doubles with each pass in which the database is unavailable. */
const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;

/** The pause before an entry is applied again that could only be applied later. It doubles each time. */
const MIN_LATER_MS = 1000;
const MAX_LATER_MS = 5 * 60_000;

/** The pause before a disk that cannot be written is tried again. */
const RETRY_MS = 1000;

const MAX_FAILURES_PER_PASS = 100;

const DAY_MS = 24 * 60 * 60_000;

/** An entry of the journal. All its values can be written as JSON. */
export interface JournalEntry {
  /** The service's id of the call. */
  readonly callId: string;
  /** Whether the call is over with this entry. If the journal is full, it drops the entries of the oldest such calls first. */
  readonly isEnd: boolean;
}

/** Limits of a journal, for tests. */
export interface JournalLimits {
  /** Default: 100 000. */
  readonly maxEntries?: number;
  /** Default: 64 MiB. The files may be twice as large. */
  readonly maxBytes?: number;
  /** How long an entry is retried that can only be applied later. Default: 1 day. */
  readonly maxWaitMs?: number;
  /** The time between two searches for the entries of ended processes. Default: 1 minute. */
  readonly adoptIntervalMs?: number;
}

/**
 * Applies an entry to the database. It must be idempotent, because entries are applied again after a crash. It returns `later` if the
 * entry refers to a call that is unknown so far.
 *
 * @throws any error if the database is unavailable.
 */
export type ApplyEntry<Entry> = (entry: Entry) => Promise<"applied" | "later">;

/** An entry that is not applied yet. */
interface PendingEntry {
  readonly callId: string;
  readonly isEnd: boolean;
  /** When it was appended, in milliseconds since the Unix epoch. */
  readonly at: number;
  readonly record: Buffer;
  /** Undefined until it is written. */
  segment?: Segment;
  /** When it could not be applied for the first time, and when it is due again, as of `performance.now()`. */
  waitingSince?: number;
  dueAt: number;
}

/**
 * Keeps what could not be recorded in the database, and applies it when the database is available again.
 *
 * With CALLER_NUMBERS=hash, entries must not contain callers' numbers: the caller of `append` passes what the database would store.
 */
export class Journal<Entry extends JournalEntry> {
  readonly #files: JournalFiles | undefined;
  readonly #log: Logger;
  readonly #limits: Required<JournalLimits>;
  readonly #stop = new AbortController();
  /** In the order in which they were appended. */
  #pending = new Set<PendingEntry>();
  readonly #unwritten = new Set<PendingEntry>();
  #bytes = 0;
  #dropped = 0;
  /** The last change of the files. Changes are sequential, and all callers that wait for one share the next one. */
  #written = Promise.resolve();
  #nextWrite: Promise<void> | undefined;
  /** When writing is retried after an error, as of `performance.now()`; undefined if the last write succeeded. */
  #retryAt: number | undefined;
  #running: Promise<void> | undefined;
  #isAdoptable = true;

  /** @param folder `DATA_DIR/telephony`; undefined to keep entries in memory only. */
  constructor(folder: string | undefined, log: Logger, limits: JournalLimits = {}) {
    this.#files = folder === undefined ? undefined : new JournalFiles(folder);
    this.#log = log;
    this.#limits = {
      maxEntries: 100_000,
      maxBytes: 64 * 1024 * 1024,
      maxWaitMs: DAY_MS,
      adoptIntervalMs: 60_000,
      ...limits,
    };
  }

  /** The number of entries that are not applied yet. */
  get size(): number {
    return this.#pending.size;
  }

  /** The number of entries that were dropped, because the journal was full or they waited too long. */
  get dropped(): number {
    return this.#dropped;
  }

  /**
   * Resolves when the entry is synced to the disk, or at once if the disk cannot be written: then the entry is kept in memory. Never
   * rejects. The entry counts from the call on, also for callers that do not wait.
   */
  append(entry: Entry): Promise<void> {
    const at = Date.now();
    const { callId, isEnd } = entry;
    const pending: PendingEntry = { callId, isEnd, at, record: encodeRecord(JSON.stringify({ at, entry })), dueAt: 0 };
    this.#add(pending);
    if (this.#files !== undefined) this.#unwritten.add(pending);
    this.#makeRoom();
    return this.#write();
  }

  /** Starts to apply entries in the background, including those of ended processes. */
  start(apply: ApplyEntry<Entry>): void {
    this.#running = this.#run(apply);
  }

  /** Waits for the entry in progress, and stops. Entries that are not applied are left to the next process. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    // A write in progress needs its segment. Until it ends, its entries belong to none.
    await this.#write();
    // Tries the disk once more.
    this.#retryAt &&= 0;
    // Leaves no applied entries.
    await this.#files?.endSegment();
    this.#moveEntries(1);
    await this.#write();
    const lost = [...this.#pending].filter(({ segment }) => segment === undefined).length;
    const entries = this.size;
    if (lost > 0)
      this.#log.error({ entries, lost }, "the journal of phone calls has entries that no disk has: they are lost");
    else if (entries > 0) this.#log.warn({ entries }, "the journal of phone calls has entries for the next server");
    await this.#files?.close();
  }

  async #run(apply: ApplyEntry<Entry>): Promise<void> {
    let failures = 0;
    let adoptAt = 0;
    while (!this.#stop.signal.aborted) {
      if (performance.now() >= adoptAt) {
        await this.#adopt();
        adoptAt = performance.now() + this.#limits.adoptIntervalMs;
      }
      failures = (await this.#applyDue(apply, failures)) ? 0 : failures + 1;
      await this.#write();
      const pauseMs = Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** failures) * (0.5 + Math.random() / 2);
      await pause(pauseMs, undefined, { ref: false, signal: this.#stop.signal }).catch(() => {});
    }
  }

  /**
   * Applies entries in order. Each pass tolerates one more failure than the last one, so that an entry that always fails does not stop
   * the others.
   *
   * @returns whether the database is available.
   */
  async #applyDue(apply: ApplyEntry<Entry>, failedPasses: number): Promise<boolean> {
    const failed = new Set<PendingEntry>();
    let isAvailable = true;
    for (const pending of this.#pending) {
      if (this.#stop.signal.aborted) break;
      if (pending.dueAt > performance.now()) continue;
      try {
        if ((await apply(decodeEntry<Entry>(pending.record).entry)) === "applied") this.#remove(pending);
        else this.#postpone(pending);
        isAvailable = true;
        for (const other of failed) this.#postpone(other);
        failed.clear();
      } catch (error) {
        if (failedPasses === 0 && failed.size === 0) {
          this.#log.warn({ err: error }, "the journal of phone calls waits for the database");
        }
        isAvailable = false;
        failed.add(pending);
        if (failed.size > Math.min(failedPasses, MAX_FAILURES_PER_PASS)) break;
      }
    }
    return isAvailable;
  }

  #postpone(pending: PendingEntry): void {
    const now = performance.now();
    pending.waitingSince ??= now;
    const waitedMs = now - pending.waitingSince;
    pending.dueAt = now + Math.min(MAX_LATER_MS, Math.max(MIN_LATER_MS, waitedMs));
    if (waitedMs < this.#limits.maxWaitMs) return;
    this.#remove(pending);
    this.#countDropped(
      1,
      "an entry of the journal of phone calls was dropped, because it could not be applied in time",
    );
  }

  async #adopt(): Promise<void> {
    let adopted = 0;
    try {
      for await (const { segment, records } of this.#files?.adopt() ?? []) {
        const tornBytes = segment.bytes - segment.liveBytes;
        if (tornBytes > 0) this.#log.warn({ tornBytes }, "a crash cut off the end of a journal of phone calls");
        for (const record of records) {
          const { at, entry } = decodeEntry<Entry>(record);
          this.#add({ callId: entry.callId, isEnd: entry.isEnd, at, record, segment, dueAt: 0 });
        }
        adopted += records.length;
      }
      this.#isAdoptable = true;
    } catch (error) {
      if (this.#isAdoptable) this.#log.error({ err: error }, "the journals of phone calls in DATA_DIR cannot be used");
      this.#isAdoptable = false;
    }
    if (adopted === 0) return;
    this.#log.info({ entries: adopted }, "took over the journals of phone calls of ended processes");
    this.#pending = new Set([...this.#pending].toSorted((one, other) => one.at - other.at));
    this.#makeRoom();
  }

  #add(pending: PendingEntry): void {
    this.#pending.add(pending);
    this.#bytes += pending.record.length;
  }

  #remove(pending: PendingEntry): void {
    if (!this.#pending.delete(pending)) return;
    this.#unwritten.delete(pending);
    this.#bytes -= pending.record.length;
    if (pending.segment !== undefined) pending.segment.liveBytes -= pending.record.length;
  }

  /** Drops entries if the journal is full: those of ended calls first, from the oldest call on. */
  #makeRoom(): void {
    const { maxEntries, maxBytes } = this.#limits;
    const isWithin = (share: number) => this.size <= maxEntries * share && this.#bytes <= maxBytes * share;
    if (isWithin(1)) return;
    const calls = [...Map.groupBy(this.#pending, ({ callId }) => callId).values()];
    const isOver = (entries: readonly PendingEntry[]) => entries.some(({ isEnd }) => isEnd);
    const before = this.size;
    for (const entries of [...calls.filter(isOver), ...calls.filter((entries) => !isOver(entries))]) {
      if (isWithin(SHARE_AFTER_DROP)) break;
      for (const pending of entries) this.#remove(pending);
    }
    this.#countDropped(
      before - this.size,
      "the journal of phone calls is full: entries of its oldest calls were dropped",
    );
  }

  #countDropped(dropped: number, message: string): void {
    this.#dropped += dropped;
    this.#log.error({ dropped }, message);
  }

  /** Writes new entries and deletes segments that are no longer needed. Never rejects. */
  #write(): Promise<void> {
    this.#nextWrite ??= this.#written.then(() => {
      this.#nextWrite = undefined;
      this.#written = this.#writeNow();
      return this.#written;
    });
    return this.#nextWrite;
  }

  async #writeNow(): Promise<void> {
    const files = this.#files;
    if (files === undefined || performance.now() < (this.#retryAt ?? 0)) return;
    try {
      if (files.bytes > 2 * this.#limits.maxBytes) this.#moveEntries(0.5);
      // Not until none is left, because new entries may come without end.
      for (let left = this.#unwritten.size; left > 0 && this.#unwritten.size > 0; )
        left -= await this.#writeBatch(files);
      await files.deleteUnneeded();
    } catch (error) {
      const message =
        "the journal of phone calls cannot be written: its entries are kept in memory, until the process ends";
      if (this.#retryAt === undefined) this.#log.error({ err: error }, message);
      // A failed write leaves a segment without entries, and must not leave more of them with each attempt.
      await files.deleteUnneeded().catch(() => {});
      this.#retryAt = performance.now() + RETRY_MS;
    }
  }

  async #writeBatch(files: JournalFiles): Promise<number> {
    const batch: PendingEntry[] = [];
    let bytes = 0;
    for (const pending of this.#unwritten) {
      batch.push(pending);
      bytes += pending.record.length;
      if (bytes >= WRITE_BYTES) break;
    }
    const segment = await files.append(batch.map(({ record }) => record));
    for (const pending of batch) {
      // The entry may have been removed meanwhile.
      if (!this.#unwritten.delete(pending)) continue;
      if (pending.segment !== undefined) pending.segment.liveBytes -= pending.record.length;
      pending.segment = segment;
      segment.liveBytes += pending.record.length;
    }
    if (this.#retryAt !== undefined) this.#log.info("the journal of phone calls is written again");
    this.#retryAt = undefined;
    return batch.length;
  }

  /** Moves the entries of complete segments that are needed for less than a share of their size to the current segment. */
  #moveEntries(share: number): void {
    for (const pending of this.#pending) {
      const { segment } = pending;
      if (segment === undefined || this.#files?.isCurrent(segment)) continue;
      if (segment.liveBytes < segment.bytes * share) this.#unwritten.add(pending);
    }
  }
}

function decodeEntry<Entry>(record: Buffer) {
  return JSON.parse(decodeRecord(record)) as { readonly at: number; readonly entry: Entry };
}
