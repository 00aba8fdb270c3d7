import { DomainError, type EventQuery } from "@calltrack/domain";
import type { Event, ListEventsResponse } from "@calltrack/domain/gen/calltracking/v1/event_pb";
import type { AccessGuard } from "../../access/access-guard.js";
import type { ResolvedAccount } from "../../access/account-directory.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import type { ServiceImplementation } from "../methods/method-row.js";
import type { PhoneSystemContext } from "../phone-systems/phone-system-view.js";
import { describeEvents } from "./describe-events.js";
import { createCursorAtPosition, requireCursorPosition } from "./event-cursor.js";
import type { EventLog } from "./event-log.js";
import type { EVENT_METHODS } from "./event-methods.js";
import { listEvents, readEventLogState } from "./event-repository.js";
import { findPositionBefore } from "./find-position-before.js";
import { watchEvents } from "./watch-events.js";

/** @param readmit checks the credentials of an open stream again; undefined if requests need no credentials. */
export function createEventService(
  database: DatabaseAccess,
  phoneSystems: PhoneSystemContext,
  { settled: settledPosition, feed }: EventLog,
  bookmarkMs: number,
  readmit: AccessGuard["readmit"],
): ServiceImplementation<typeof EVENT_METHODS> {
  const { db } = database;
  function start({ cursor, from }: EventQuery, settled: bigint): Promise<bigint> | bigint {
    if (cursor === "now") return settled;
    if (cursor !== undefined) return requireCursorPosition(db, cursor, settledPosition.drawn);
    return from === undefined ? 0n : findPositionBefore(db, new Date(Number(from / 1000n)), settled);
  }

  async function list(
    account: ResolvedAccount | undefined,
    query: EventQuery & { readonly size: number },
  ): Promise<ListEventsResponse> {
    const settled = await settledPosition.find();
    const after = await start(query, settled);
    const { from, types, size } = query;
    const rows = await listEvents(db, account?.accountId, { after, until: settled, from, types, limit: size });
    const last = rows[size - 1];
    // A cursor from another process can be ahead of the last settled position that this process knows.
    const end = last === undefined ? (settled > after ? settled : after) : BigInt(last.position);
    // Must be read after the events, because events can expire between the two statements.
    const { logId, lastDeleted } = await readEventLogState(db);
    if (query.cursor !== undefined && after < lastDeleted) throw new DomainError("EVENT_CURSOR_EXPIRED", {});
    const events: Event[] = await describeEvents(database, logId, rows, phoneSystems);
    return {
      $typeName: "calltracking.v1.ListEventsResponse",
      events,
      nextCursor: await createCursorAtPosition(db, end),
    };
  }

  return {
    listEvents: (query, { account }) => list(account, query),

    watchEvents: (query, { account, context }) =>
      watchEvents({
        ...{ db, feed, account, query, bookmarkMs },
        async findStart() {
          const position = await start(query, await settledPosition.find());
          if (query.cursor !== undefined && position < (await readEventLogState(db)).lastDeleted)
            throw new DomainError("EVENT_CURSOR_EXPIRED", {});
          return position;
        },
        signal: context.signal,
        readmit: () => readmit?.(context),
      }),
  };
}
