import { Gauge, type Registry } from "prom-client";
import type { DatabaseAccess } from "../../database/open-database.js";
import type { EventLogAccess } from "../methods/method-row.js";
import type { PhoneSystemContext } from "../phone-systems/phone-system-view.js";
import { EventFeed } from "./event-feed.js";
import { createRecentCursorReader } from "./recent-cursor.js";
import { SettledPosition } from "./settled-position.js";

/** The readers of the event log, which all parts of a process share. */
export interface EventLog extends EventLogAccess {
  readonly settled: SettledPosition;
  readonly feed: EventFeed;
}

/**
 * Creates the readers of the event log, and registers their metrics.
 *
 * @param shutdown ends the watchers.
 */
export function createEventLog(
  database: DatabaseAccess,
  phoneSystems: PhoneSystemContext,
  registry: Registry,
  shutdown: AbortSignal,
): EventLog {
  const settled = new SettledPosition(database);
  const feed = new EventFeed(database, settled, phoneSystems, shutdown);
  const registers = [registry];
  new Gauge({
    name: "calltrack_event_watchers",
    help: "Open event streams.",
    registers,
    collect() {
      this.set(feed.watchers);
    },
  });
  new Gauge({
    name: "calltrack_event_lag_seconds",
    help: "Seconds for which an open transaction or an unfinished commit has hidden new events from the readers of the event log; 0 if no events are hidden.",
    registers,
    collect() {
      this.set(settled.lagMs / 1000);
    },
  });
  return { settled, feed, recentCursor: createRecentCursorReader(database.db, settled), wake: () => feed.wake() };
}
