import { setTimeout as pause } from "node:timers/promises";
import { DomainError, type EventType } from "@calltrack/domain";
import type { Event } from "@calltrack/domain/gen/calltracking/v1/event_pb";
import type { PhoneSystemContext } from "../phone-systems/phone-system-view.js";
import { describeEvents } from "./describe-events.js";
import { createCursorAtPosition } from "./event-cursor.js";
import { type EventRow, listEvents, readEventLogState } from "./event-repository.js";
import type { EventDatabaseAccess } from "./event-resource-statements.js";
import type { SettledPosition } from "./settled-position.js";

/** The pause after a reading of the log that found events. */
const BUSY_MS = 100;

/** The pause after a reading of the log that found no events. */
const REST_MS = 1000;

/** The maximum number of events per reading. */
const BATCH = 500;

/** The maximum number of recent events that are kept in memory for watchers. */
const MAX_RECENT = 2000;

/** An event, with the row and the position by which watchers select it. */
export interface FeedEvent {
  readonly row: EventRow;
  readonly position: bigint;
  readonly event: Event;
}

/** The events between two positions. */
interface FeedPart {
  readonly events: readonly FeedEvent[];
  /** The last position of the part, which can be after its last event. */
  readonly until: bigint;
}

export interface FeedReadResult {
  /** New events, in the order of their positions. */
  readonly rows: readonly EventRow[];
  /** See `SettledPosition.hasDueEndpoints`. */
  readonly hasDueEndpoints: boolean;
}

/** Receives events on behalf of the process itself. Watchers, by contrast, receive events for clients. */
export interface FeedSubscriber {
  /** Returns the types of events that the subscriber needs; undefined for all types. */
  types(): readonly EventType[] | undefined;
  /** Called after every reading, even one without events. If the promise rejects, the events are not passed again. */
  onReading(reading: FeedReadResult): Promise<void>;
}

type Waiter = PromiseWithResolvers<void>;

/**
 * Reads the log once for all watchers and the subscriber of the process, and keeps recent events in memory for watchers. It reads nothing
 * while it has neither watchers nor a subscriber.
 */
export class EventFeed {
  readonly #database: EventDatabaseAccess;
  readonly #settled: SettledPosition;
  readonly #phoneSystems: PhoneSystemContext;
  readonly #shutdown: AbortSignal;
  #recent: FeedEvent[] = [];
  /** `#recent` has all events after this position and up to `#end`. */
  #start = 0n;
  #end = 0n;
  #watchers = 0;
  #subscriber: FeedSubscriber | undefined;
  /** Whether `#end` is set, which happens when the feed begins to read. */
  #hasBegun = false;
  #running: Promise<void> | undefined;
  /** The watchers that wait for new events. */
  readonly #waiting = new Set<Waiter>();
  /** Ends the pause of `#rest`; undefined while the feed does not pause. */
  #endRest: (() => void) | undefined;
  /** The last cursor for bookmarks. While there are no new events, all watchers get this cursor. */
  #bookmark: { readonly position: bigint; readonly cursor: Promise<string> } | undefined;

  /** @param shutdown ends the watchers, whose streams would keep the server from stopping. */
  constructor(
    database: EventDatabaseAccess,
    settled: SettledPosition,
    phoneSystems: PhoneSystemContext,
    shutdown: AbortSignal,
  ) {
    this.#database = database;
    this.#settled = settled;
    this.#phoneSystems = phoneSystems;
    this.#shutdown = shutdown;
    shutdown.addEventListener("abort", () => this.#endWaiting((waiter) => waiter.reject(createStopError())), {
      once: true,
    });
  }

  get watchers(): number {
    return this.#watchers;
  }

  /** The position up to which the feed has read the log. */
  get end(): bigint {
    return this.#end;
  }

  /** Makes the feed read the log at once. Called if this process has probably written an event. */
  wake(): void {
    this.#endRest?.();
  }

  /** Adds a watcher. Returns the function that removes the watcher. The first watcher makes the feed begin at the last known settled position. */
  watch(): () => void {
    if (this.#watchers++ === 0) this.#begin();
    let isCounted = true;
    return () => {
      if (isCounted) this.#watchers--;
      isCounted = false;
    };
  }

  /** Calls a subscriber after every reading of the log from now on. Returns the function that unsubscribes the subscriber. */
  subscribe(subscriber: FeedSubscriber): () => void {
    if (this.#watchers === 0) this.#hasBegun = false;
    this.#subscriber = subscriber;
    this.#running ??= this.#run();
    return () => {
      this.#subscriber = undefined;
      this.wake();
    };
  }

  /** Begins to read at the last known settled position, unless a subscriber already keeps the feed reading. */
  #begin(): void {
    if (this.#subscriber === undefined || !this.#hasBegun) this.#end = this.#settled.known;
    this.#hasBegun = true;
    this.#forget();
  }

  #forget(): void {
    this.#recent = [];
    this.#start = this.#end;
  }

  /** Returns the events after a position, from memory; undefined if the feed no longer has all of them. */
  after(position: bigint): FeedPart | undefined {
    if (position < this.#start) return undefined;
    // A cursor from another process can be ahead of the events that this process has read.
    const until = position > this.#end ? position : this.#end;
    const first = this.#recent.findLastIndex((each) => each.position <= position) + 1;
    return { events: this.#recent.slice(first), until };
  }

  /** Waits until the feed has read beyond a position, but at most `ms` milliseconds. Rejects if the log cannot be read, or if the signal aborts. */
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

  bookmark(position: bigint): Promise<string> {
    if (this.#bookmark?.position !== position) {
      const cursor = createCursorAtPosition(this.#database.db, position);
      const bookmark = { position, cursor };
      this.#bookmark = bookmark;
      cursor.catch(() => {
        if (this.#bookmark === bookmark) this.#bookmark = undefined;
      });
    }
    return this.#bookmark.cursor;
  }

  async describe(rows: readonly EventRow[]): Promise<FeedEvent[]> {
    const { logId } = await readEventLogState(this.#database.db);
    const events = await describeEvents(this.#database, logId, rows, this.#phoneSystems);
    return rows.map((row, index) => ({ row, position: BigInt(row.position), event: events[index] as Event }));
  }

  async #run(): Promise<void> {
    while (this.#watchers > 0 || this.#subscriber !== undefined) {
      try {
        await ((await this.#read()) ? pause(BUSY_MS) : this.#rest());
      } catch (error) {
        if (this.#subscriber === undefined) this.#running = undefined;
        // The watchers end with this error, and their clients reconnect.
        this.#endWaiting((waiter) => waiter.reject(error));
        if (this.#subscriber === undefined) return;
        await this.#rest();
      }
    }
    this.#running = undefined;
  }

  /** Reads the settled part of the log. Returns whether that part has grown since the last reading. */
  async #read(): Promise<boolean> {
    await this.#settled.advance();
    const until = this.#settled.known;
    if (!this.#hasBegun) {
      // The first reading may have found no settled position, because of open transactions.
      if (until === 0n && this.#settled.drawn > 0n) return false;
      this.#begin();
    }
    const isNew = until > this.#end;
    // Watchers that are added during this reading read the events from the database themselves.
    const isWatched = this.#watchers > 0;
    const types = isWatched ? undefined : this.#subscriber?.types();
    const range = { after: this.#end, until, from: undefined, types, limit: BATCH };
    const rows = isNew ? await listEvents(this.#database.db, undefined, range) : [];
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

  async #keep(rows: readonly EventRow[]): Promise<void> {
    const events = rows.length > 0 ? await this.describe(rows) : [];
    // Read after the pause, because a new watcher replaces the array.
    this.#recent.push(...events);
    const dropped = this.#recent.splice(0, Math.max(0, this.#recent.length - MAX_RECENT)).at(-1);
    if (dropped !== undefined) this.#start = dropped.position;
  }

  #endWaiting(settle: (waiter: Waiter) => void): void {
    for (const waiter of this.#waiting) settle(waiter);
  }

  /** Pauses until the next reading is due, or until `wake` is called. */
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
