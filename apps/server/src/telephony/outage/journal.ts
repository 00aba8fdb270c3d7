import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { decodeJournalRecord, encodeJournalRecord, JournalFiles, type JournalSegment } from "./journal-files.js";

const WRITE_BYTES = 1024 * 1024;

/** A full journal drops entries down to this share of its limits, so that the next entry does not fill it again. */
const SHARE_AFTER_DROP = 0.9;

/** The pause between two attempts to apply all due entries. It doubles with each attempt in which the database is unavailable. */
const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;

/** The pause before an entry that could not be applied is retried. It doubles with each retry. */
const MIN_LATER_MS = 1000;
const MAX_LATER_MS = 5 * 60_000;

/** The pause before a failed write to the disk is retried. */
const RETRY_MS = 1000;

const MAX_FAILURES_PER_PASS = 100;

const DAY_MS = 24 * 60 * 60_000;

/** The values of all fields must be serializable as JSON. */
export interface JournalEntry {
  /** Calltrack's id for the call. */
  readonly callId: string;
  /** Whether the entry reports the end of the call. A full journal drops the entries of the oldest ended calls first. */
  readonly isEnd: boolean;
}

/** Only tests override the default limits. */
export interface JournalLimits {
  /** Default: 100 000. */
  readonly maxEntries?: number;
  /** Default: 64 MiB. The files may be twice as large. */
  readonly maxBytes?: number;
  /** How long an entry for which `apply` returns `later` is retried. Default: 1 day. */
  readonly maxWaitMs?: number;
  /** The time between two searches for the entries of ended processes. Default: 1 minute. */
  readonly adoptIntervalMs?: number;
}

/**
 * Applies an entry to the database. Must be idempotent, because entries are applied again after a crash. Returns `later` if the entry's
 * call is not recorded yet.
 *
 * @throws any error if the database is unavailable.
 */
export type JournalEntryApplier<Entry> = (entry: Entry) => Promise<"applied" | "later">;

interface PendingEntry {
  readonly callId: string;
  readonly isEnd: boolean;
  /** When the entry was appended, in milliseconds since the Unix epoch. */
  readonly at: number;
  readonly record: Buffer;
  /** Undefined until the record is written. */
  segment?: JournalSegment;
  /** When the entry was first postponed. This time and `dueAt`, the time of its next attempt, are `performance.now()` times. */
  waitingSince?: number;
  dueAt: number;
}

/**
 * Keeps entries that could not be recorded in the database, and applies them when the database is available again.
 *
 * With CALLER_NUMBERS=hash, entries must not contain callers' numbers. The code that calls `append` passes the values that the database would store.
 */
export class Journal<Entry extends JournalEntry> {
  readonly #files: JournalFiles | undefined;
  readonly #log: Logger;
  readonly #limits: Required<JournalLimits>;
  readonly #stop = new AbortController();
  /** The entries that are not applied yet, in the order in which they were appended. */
  #pending = new Set<PendingEntry>();
  readonly #unwritten = new Set<PendingEntry>();
  #bytes = 0;
  #dropped = 0;
  /** The latest write to the disk. Writes are sequential: all entries that arrive during a write share the next write. */
  #written = Promise.resolve();
  #nextWrite: Promise<void> | undefined;
  /** When a failed write is retried, in `performance.now()` time; undefined if the last write succeeded. */
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
   * Resolves when the entry is synced to the disk or, without a folder, at once. If the disk cannot be written, keeps the entry in memory and resolves
   * to false. Never rejects. The entry is added synchronously, so code that appends entries need not wait.
   */
  append(entry: Entry): Promise<boolean> {
    const at = Date.now();
    const { callId, isEnd } = entry;
    const pending: PendingEntry = {
      callId,
      isEnd,
      at,
      record: encodeJournalRecord(JSON.stringify({ at, entry })),
      dueAt: 0,
    };
    this.#add(pending);
    if (this.#files !== undefined) this.#unwritten.add(pending);
    this.#makeRoom();
    return this.#write().then(() => !this.#unwritten.has(pending));
  }

  /** Starts to apply entries in the background. Also applies the entries that ended processes have left in the folder. */
  start(apply: JournalEntryApplier<Entry>): void {
    this.#running = this.#run(apply);
  }

  /** Waits for the entry that is being applied, and stops. Leaves the entries that are not applied to the next process. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    // If a write is in progress, waits for it, because until then its entries belong to no segment.
    await this.#write();
    // If the disk has failed, makes the next write retry it without a pause.
    this.#retryAt &&= 0;
    // Moves the pending entries out of segments that also contain applied entries. Otherwise, the next process would apply the applied entries again.
    await this.#files?.endSegment();
    this.#moveEntries(1);
    await this.#write();
    const lost = [...this.#pending].filter(({ segment }) => segment === undefined).length;
    const entries = this.size;
    if (lost > 0)
      this.#log.error(
        { entries, lost },
        "entries in the journal of phone calls were not written to a disk and are lost",
      );
    else if (entries > 0)
      this.#log.warn(
        { entries },
        "the journal of phone calls has pending entries: the next server process with this DATA_DIR applies them",
      );
    await this.#files?.close();
  }

  async #run(apply: JournalEntryApplier<Entry>): Promise<void> {
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
   * Applies due entries in order. Each run tolerates one more failure than the previous run, so that an entry that always fails blocks no others.
   *
   * @returns whether the database is available.
   */
  async #applyDue(apply: JournalEntryApplier<Entry>, failedPasses: number): Promise<boolean> {
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
      "an entry in the journal of phone calls was dropped, because it could not be applied in time",
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
      if (this.#isAdoptable)
        this.#log.error(
          { err: error },
          "the journals of phone calls that ended processes left in DATA_DIR cannot be taken over: check the permissions of DATA_DIR and its disk",
        );
      this.#isAdoptable = false;
    }
    if (adopted === 0) return;
    this.#log.info({ entries: adopted }, "took over the journals of phone calls from ended processes");
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

  /** Drops entries if the journal is full: those of ended calls first, starting with the oldest call. */
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

  /** Writes new entries, and deletes segments that are no longer needed. Never rejects. */
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
      // Does not loop until no entry is left, because new entries may arrive endlessly.
      for (let left = this.#unwritten.size; left > 0 && this.#unwritten.size > 0; )
        left -= await this.#writeBatch(files);
      await files.deleteUnneeded();
    } catch (error) {
      const message =
        "the journal of phone calls cannot be written to DATA_DIR: check its disk. Until a write succeeds, entries are kept only in memory";
      if (this.#retryAt === undefined) this.#log.error({ err: error }, message);
      // A failed write leaves a segment without entries. Without this deletion, each attempt would leave one more segment.
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
      // During the write, the entry may have been applied or dropped.
      if (!this.#unwritten.delete(pending)) continue;
      if (pending.segment !== undefined) pending.segment.liveBytes -= pending.record.length;
      pending.segment = segment;
      segment.liveBytes += pending.record.length;
    }
    if (this.#retryAt !== undefined) this.#log.info("the journal of phone calls can be written again");
    this.#retryAt = undefined;
    return batch.length;
  }

  /** Moves the pending entries of each complete segment to the current segment if they fill less than `share` of their segment. */
  #moveEntries(share: number): void {
    for (const pending of this.#pending) {
      const { segment } = pending;
      if (segment === undefined || this.#files?.isCurrent(segment)) continue;
      if (segment.liveBytes < segment.bytes * share) this.#unwritten.add(pending);
    }
  }
}

function decodeEntry<Entry>(record: Buffer) {
  return JSON.parse(decodeJournalRecord(record)) as { readonly at: number; readonly entry: Entry };
}
