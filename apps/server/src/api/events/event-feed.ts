import { setTimeout as pause } from "node:timers/promises";
import { DomainError, type EventType } from "@calltrack/domain";
import type { Event } from "@calltrack/domain/gen/calltracking/v1/event_pb";
import type { Executor } from "@calltrack/postgres";
import type { PhoneSystemSurroundings } from "../phone-systems/phone-system-view.js";
import { describeEvents } from "./describe-events.js";
import { cursorAt } from "./event-cursor.js";
import { type EventRow, listEvents, readLogState } from "./event-repository.js";
import type { SettledPosition } from "./settled-position.js";

/** Time between two readings of the log while there are events. */
const BUSY_MS = 100;

/** Time between two readings of the log at rest. */
const REST_MS = 1000;

/** Events that are read at a time. */
const BATCH = 500;

/** Recent events that are kept for watchers: those of a few batches. */
const MAX_RECENT = 2000;

/** An event, and what filters need of it. */
export interface FeedEvent {
  readonly row: EventRow;
  readonly position: bigint;
  readonly event: Event;
}

/** The events between two positions. */
interface FeedPart {
  readonly events: readonly FeedEvent[];
  /** The position that they end at. */
  readonly until: bigint;
}

/** A reading of the log, for a subscriber. */
export interface FeedReading {
  /** New events, in their order. */
  readonly rows: readonly EventRow[];
  /** See `SettledPosition.hasDueEndpoints`. */
  readonly hasDueEndpoints: boolean;
}

/** Follows the log besides the watchers, as long as the process serves. */
export interface FeedSubscriber {
  /** The types of events that it needs; undefined for all. */
  types(): readonly EventType[] | undefined;
  /** Called after every reading, also one without events. If it rejects, it is called again without these events. */
  onReading(reading: FeedReading): Promise<void>;
}

type Waiter = PromiseWithResolvers<void>;

/**
 * Reads the log once for all watchers of the process and its subscriber, and keeps recent events in memory for watchers. It reads nothing
 * while there are none of them.
 */
export class EventFeed {
  readonly #db: Executor;
  readonly #settled: SettledPosition;
  readonly #phoneSystems: PhoneSystemSurroundings;
  readonly #shutdown: AbortSignal;
  #recent: FeedEvent[] = [];
  /** `#recent` has all events after this position, up to `#end`. */
  #start = 0n;
  #end = 0n;
  #watchers = 0;
  #subscriber: FeedSubscriber | undefined;
  /** Whether `#end` is where the reading began, or later. */
  #hasBegun = false;
  #running: Promise<void> | undefined;
  /** The watchers that wait until the feed has read further. */
  readonly #waiting = new Set<Waiter>();
  /** Ends a pause at rest; undefined while the feed reads or pauses for a moment only. */
  #endRest: (() => void) | undefined;
  /** The last cursor that was made for bookmarks: at rest all watchers get the same. */
  #bookmark: { readonly position: bigint; readonly cursor: Promise<string> } | undefined;

  /** @param shutdown ends the watchers, which would otherwise keep the server from stopping. */
  constructor(db: Executor, settled: SettledPosition, phoneSystems: PhoneSystemSurroundings, shutdown: AbortSignal) {
    this.#db = db;
    this.#settled = settled;
    this.#phoneSystems = phoneSystems;
    this.#shutdown = shutdown;
    shutdown.addEventListener("abort", () => this.#endWaiting((waiter) => waiter.reject(createStopError())), {
      once: true,
    });
  }

  /** The number of watchers. */
  get watchers(): number {
    return this.#watchers;
  }

  /** The position up to which the feed has read. */
  get end(): bigint {
    return this.#end;
  }

  /** Reads the log at once, because this process has probably written an event. */
  wake(): void {
    this.#endRest?.();
  }

  /** Counts a watcher. Returns the function that stops counting it. The first one begins the reading at what is known to be settled. */
  watch(): () => void {
    if (this.#watchers++ === 0) this.#begin();
    let isCounted = true;
    return () => {
      if (isCounted) this.#watchers--;
      isCounted = false;
    };
  }

  /** Calls a subscriber after every reading of the log from now on. Returns the function that ends that. */
  subscribe(subscriber: FeedSubscriber): () => void {
    if (this.#watchers === 0) this.#hasBegun = false;
    this.#subscriber = subscriber;
    this.#running ??= this.#run();
    return () => {
      this.#subscriber = undefined;
      this.wake();
    };
  }

  /** Begins to read at what is known to be settled, unless the log is read already. */
  #begin(): void {
    if (this.#subscriber === undefined || !this.#hasBegun) this.#end = this.#settled.known;
    this.#hasBegun = true;
    this.#forget();
  }

  /** Keeps no events from before the position that was read last. */
  #forget(): void {
    this.#recent = [];
    this.#start = this.#end;
  }

  /** Returns the events after a position that the feed has in memory; undefined if it no longer has all of them. */
  after(position: bigint): FeedPart | undefined {
    if (position < this.#start) return undefined;
    // A cursor can be ahead of what this process has read.
    const until = position > this.#end ? position : this.#end;
    const first = this.#recent.findLastIndex((each) => each.position <= position) + 1;
    return { events: this.#recent.slice(first), until };
  }

  /** Waits until the feed has read beyond a position, for a time at most. Rejects if the log cannot be read, or if the signal aborts. */
  async waitBeyond(position: bigint, ms: number, signal: AbortSignal): Promise<void> {
    if (this.#shutdown.aborted) throw createStopError();
    this.#running ??= this.#run();
    if (this.#end > position || ms <= 0) return;
    const waiter = Promise.withResolvers<void>();
    const timer = setTimeout(waiter.resolve, ms);
    const onAbort = () => waiter.reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    this.#waiting.add(waiter);
    if (signal.aborted) onAbort();
    try {
      await waiter.promise;
    } finally {
      this.#waiting.delete(waiter);
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Returns the cursor of a position, for bookmarks. */
  bookmark(position: bigint): Promise<string> {
    if (this.#bookmark?.position !== position) {
      const cursor = cursorAt(this.#db, position);
      const bookmark = { position, cursor };
      this.#bookmark = bookmark;
      cursor.catch(() => {
        if (this.#bookmark === bookmark) this.#bookmark = undefined;
      });
    }
    return this.#bookmark.cursor;
  }

  /** Makes the messages of events. */
  async describe(rows: readonly EventRow[]): Promise<FeedEvent[]> {
    const { logId } = await readLogState(this.#db);
    const events = await describeEvents(this.#db, logId, rows, this.#phoneSystems);
    return rows.map((row, index) => ({ row, position: BigInt(row.position), event: events[index] as Event }));
  }

  async #run(): Promise<void> {
    while (this.#watchers > 0 || this.#subscriber !== undefined) {
      try {
        await ((await this.#read()) ? pause(BUSY_MS) : this.#rest());
      } catch (error) {
        if (this.#subscriber === undefined) this.#running = undefined;
        // Watchers end with this error, and reconnect.
        this.#endWaiting((waiter) => waiter.reject(error));
        if (this.#subscriber === undefined) return;
        await this.#rest();
      }
    }
    this.#running = undefined;
  }

  /** Reads the settled part of the log. Returns whether it has grown. */
  async #read(): Promise<boolean> {
    await this.#settled.advance();
    const until = this.#settled.known;
    if (!this.#hasBegun) {
      // Open transactions may have kept the first reading from knowing a settled position.
      if (until === 0n && this.#settled.drawn > 0n) return false;
      this.#begin();
    }
    const isNew = until > this.#end;
    // Watchers that come during the reading read the events by themselves.
    const isWatched = this.#watchers > 0;
    const types = isWatched ? undefined : this.#subscriber?.types();
    const range = { after: this.#end, until, from: undefined, types, limit: BATCH };
    const rows = isNew ? await listEvents(this.#db, undefined, range) : [];
    if (isNew) {
      if (isWatched) await this.#keep(rows);
      const last = rows[BATCH - 1];
      this.#end = last === undefined ? until : BigInt(last.position);
      if (!isWatched) this.#forget();
      this.#endWaiting((waiter) => waiter.resolve());
    }
    await this.#subscriber?.onReading({ rows, hasDueEndpoints: this.#settled.hasDueEndpoints });
    return isNew;
  }

  /** Keeps events in memory for watchers. */
  async #keep(rows: readonly EventRow[]): Promise<void> {
    this.#recent.push(...(rows.length > 0 ? await this.describe(rows) : []));
    const dropped = this.#recent.splice(0, Math.max(0, this.#recent.length - MAX_RECENT)).at(-1);
    if (dropped !== undefined) this.#start = dropped.position;
  }

  #endWaiting(settle: (waiter: Waiter) => void): void {
    for (const waiter of this.#waiting) settle(waiter);
  }

  /** Pauses until the next reading is due, or until this process has probably written an event. */
  async #rest(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, REST_MS);
    this.#endRest = resolve;
    await promise;
    this.#endRest = undefined;
    clearTimeout(timer);
  }
}

function createStopError(): DomainError {
  return new DomainError("SERVER_STOPPING", {});
}
