import { setTimeout as pause } from "node:timers/promises";
import { type Executor, isDatabaseUnavailable, runWithoutDeadline } from "@calltrack/postgres";
import { createCursorAtPosition } from "./event-cursor.js";
import type { SettledPosition } from "./settled-position.js";

/** The maximum age of a cursor in a list's response. With an older cursor, clients would get more events whose changes the list already contains. */
const MAX_AGE_MS = 1000;

/** How long a list waits for a new cursor. On a Citus cluster, reading the log needs all workers, but most lists need only one worker. */
const MAX_WAIT_MS = 1000;

/**
 * Creates a function that returns a cursor of the whole log. The events after the cursor include every change that happens after the function is
 * called. All calls of the function within a second return the same cursor, so that lists need no extra statements. While the log cannot be read, the
 * function returns the last cursor; undefined if there is no earlier cursor.
 */
export function createRecentCursorReader(db: Executor, settled: SettledPosition): () => Promise<string | undefined> {
  let last: { readonly readAt: number; readonly cursor: string } | undefined;
  let reading: { readonly startedAt: number; readonly end: Promise<void> } | undefined;

  async function read(readAt: number): Promise<void> {
    try {
      if (settled.known === 0n) await settled.find();
      else await settled.poll();
      last = { readAt, cursor: await createCursorAtPosition(db, settled.known) };
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
    } finally {
      reading = undefined;
    }
  }

  return async () => {
    const now = performance.now();
    if (last !== undefined && now - last.readAt <= MAX_AGE_MS) return last.cursor;
    reading ??= { startedAt: now, end: runWithoutDeadline(() => read(now)) };
    const waiting = new AbortController();
    const remainingMs = Math.max(0, reading.startedAt + MAX_WAIT_MS - now);
    const timeout = pause(remainingMs, undefined, { signal: waiting.signal }).catch(() => {});
    try {
      await Promise.race([reading.end, timeout]);
    } finally {
      waiting.abort();
    }
    return last?.cursor;
  };
}
