import { DomainError, type EventQuery } from "@calltrack/domain";
import type { WatchEventsResponse } from "@calltrack/domain/gen/calltracking/v1/event_pb";
import type { Executor } from "@calltrack/postgres";
import type { ResolvedAccount } from "../../access/account-directory.js";
import { createCursorAfterEvent } from "./event-cursor.js";
import type { EventFeed, FeedEvent } from "./event-feed.js";
import { listEvents, readEventLogState } from "./event-repository.js";

/** The time until the next bookmark after the watcher's filter has left out events. */
const FILTERED_MS = 1000;

/** How many events a statement reads for a watcher that is too far behind for the events in memory. */
const BATCH = 100;

export interface WatchEventsOptions {
  readonly db: Executor;
  readonly feed: EventFeed;
  /** Undefined for the events of all accounts. */
  readonly account: ResolvedAccount | undefined;
  readonly query: Pick<EventQuery, "from" | "types">;
  /** Returns the position before the first event. Rejects if events after it were deleted. */
  readonly findStart: () => Promise<bigint>;
  /** Aborts when the client disconnects, and at the client's deadline. */
  readonly signal: AbortSignal;
  /** The time after which a stream without events gets a bookmark, so that clients and proxies know that it is alive. */
  readonly bookmarkMs: number;
  /** Checks the credentials again, every `bookmarkMs`. Rejects if they were revoked or have expired. Returns undefined without credentials. */
  readonly readmit: () => Promise<void> | undefined;
}

/** Yields events as they happen, and bookmarks in between. The first message is a bookmark, so that the response begins at once. */
export async function* watchEvents(parts: WatchEventsOptions): AsyncGenerator<WatchEventsResponse, void> {
  const { db, feed, findStart, signal, bookmarkMs, readmit } = parts;
  const start = await findStart();
  const { logId } = await readEventLogState(db);
  const stop = feed.watch();
  try {
    yield messageOf(undefined, await feed.bookmark(start));
    let bookmarkAt = performance.now() + bookmarkMs;
    let admittedAt = performance.now();
    for (let position = start; ; ) {
      if (performance.now() - admittedAt >= bookmarkMs) {
        await readmit();
        admittedAt = performance.now();
      }
      const part = feed.after(position) ?? (await readBehind(parts, position));
      const wanted = part.events.filter((event) => isWanted(parts, event));
      for (const each of wanted) {
        signal.throwIfAborted();
        yield messageOf(each, createCursorAfterEvent(logId, each.row));
        bookmarkAt = performance.now() + bookmarkMs;
      }
      const hasLeftOut = part.until > (wanted.at(-1)?.position ?? position);
      if (hasLeftOut) bookmarkAt = Math.min(bookmarkAt, performance.now() + FILTERED_MS);
      position = part.until;
      await feed.waitBeyond(position, bookmarkAt - performance.now(), signal);
      if (performance.now() < bookmarkAt) continue;
      yield messageOf(undefined, await feed.bookmark(position));
      bookmarkAt = performance.now() + bookmarkMs;
    }
  } finally {
    stop();
  }
}

/** Reads events from the database that the feed no longer has in memory. */
async function readBehind({ db, feed, account, query }: WatchEventsOptions, position: bigint) {
  const range = { ...query, after: position, until: feed.end, limit: BATCH };
  const rows = await listEvents(db, account?.accountId, range);
  const events = await feed.describe(rows);
  // Must be read after the events, because events can expire between the two statements.
  if (position < (await readEventLogState(db)).lastDeleted) throw new DomainError("EVENT_CURSOR_EXPIRED", {});
  return { events, until: events[BATCH - 1]?.position ?? range.until };
}

function isWanted({ account, query: { from, types } }: WatchEventsOptions, { row }: FeedEvent): boolean {
  return (
    (account === undefined || row.account_id === account.accountId) &&
    (types === undefined || types.includes(row.type)) &&
    (from === undefined || BigInt(row.occurred_at) >= from)
  );
}

function messageOf(each: FeedEvent | undefined, cursor: string): WatchEventsResponse {
  return { $typeName: "calltracking.v1.WatchEventsResponse", cursor, ...(each && { event: each.event }) };
}
