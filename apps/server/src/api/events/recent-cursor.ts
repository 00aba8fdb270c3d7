import type { Executor } from "@calltrack/postgres";
import { cursorAt } from "./event-cursor.js";
import type { SettledPosition } from "./settled-position.js";

/** How old a cursor may be that lists name. An older one only makes who follows it read more events twice. */
const MAX_AGE_MS = 1000;

/**
 * Creates a function that returns a cursor of the whole log, from which nothing is missed that is read afterwards. All calls within a second
 * share it, so that lists need no statements of their own.
 */
export function createRecentCursor(db: Executor, settled: SettledPosition): () => Promise<string> {
  let current: { readonly readAt: number; readonly cursor: Promise<string> } | undefined;

  async function read(): Promise<string> {
    if (settled.known === 0n) await settled.find();
    else await settled.poll();
    return cursorAt(db, settled.known);
  }

  return () => {
    const now = performance.now();
    if (current === undefined || now - current.readAt > MAX_AGE_MS) {
      const cursor = read();
      const reading = { readAt: now, cursor };
      current = reading;
      cursor.catch(() => {
        if (current === reading) current = undefined;
      });
    }
    return current.cursor;
  };
}
