import { setTimeout as pause } from "node:timers/promises";
import { type Executor, isDatabaseUnavailable, runDetached } from "@calltrack/postgres";
import { cursorAt } from "./event-cursor.js";
import type { SettledPosition } from "./settled-position.js";

/** How old a cursor may be that lists name. An older one only makes who follows it read more events twice. */
const MAX_AGE_MS = 1000;

/** How long lists wait for a new cursor. Reading the log needs all workers of a Citus cluster, and most lists need one of them. */
const MAX_WAIT_MS = 1000;

/**
 * Creates a function that returns a cursor of the whole log, from which nothing is missed that is read afterwards. All calls within a second
 * share it, so that lists need no statements of their own. While the log cannot be read, it returns the last cursor, or undefined if there is
 * none.
 */
export function createRecentCursor(db: Executor, settled: SettledPosition): () => Promise<string | undefined> {
  let last: { readonly readAt: number; readonly cursor: string } | undefined;
  let reading: { readonly startedAt: number; readonly end: Promise<void> } | undefined;

  async function read(readAt: number): Promise<void> {
    try {
      if (settled.known === 0n) await settled.find();
      else await settled.poll();
      last = { readAt, cursor: await cursorAt(db, settled.known) };
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
    } finally {
      reading = undefined;
    }
  }

  return async () => {
    const now = performance.now();
    if (last !== undefined && now - last.readAt <= MAX_AGE_MS) return last.cursor;
    reading ??= { startedAt: now, end: runDetached(() => read(now)) };
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
