import type { EventType } from "@calltrack/domain";
import { type Expression, type RawBuilder, sql } from "kysely";
import type { CallTrackerFacts } from "./tables/schema.js";

/** The rows of a statement that leave events, and the columns of these events. */
export interface LoggedEvents {
  readonly accountId: Expression<number>;
  readonly type: EventType | Expression<EventType>;
  /** The CTEs with the changed rows, as a FROM clause. */
  readonly from: Expression<unknown>;
  /** Which of the rows leave an event. Default: all. */
  readonly where?: Expression<boolean>;
  /** The pool of a call tracker or call flow. Default: none. */
  readonly poolId?: Expression<unknown>;
  /** The UUID of the resource, or that of the call tracker. Default: none, for resources that an account has one of. */
  readonly resourceId?: Expression<unknown>;
  /** The digits of a tracking number. Default: none. */
  readonly number?: Expression<unknown>;
  /** The facts of a change to a call tracker, as JSON. Default: none. */
  readonly facts?: Expression<unknown>;
}

/**
 * Builds the CTE that writes the events of a statement, so that a change and its events are atomic. It reads the changed rows, which are
 * locked by then, and draws a position for each: so the events of a resource are in the order of its changes.
 */
export function eventCte({ accountId, type, from, where, poolId, resourceId, number, facts }: LoggedEvents) {
  const values = {
    account_id: sql`${accountId}::integer`,
    type: typeof type === "string" ? sql.lit(type) : type,
    ...(poolId && { pool_id: sql`${poolId}::uuid` }),
    ...(resourceId && { resource_id: sql`${resourceId}::uuid` }),
    ...(number && { number }),
    ...(facts && { facts }),
  };
  return sql<object>`(
    insert into events (${sql.join(Object.keys(values).map((name) => sql.ref(name)))})
    select ${sql.join(Object.values(values))} from ${from} ${where === undefined ? sql`` : sql`where ${where}`}
    returning position)`;
}

/** Returns the facts of a call tracker's change. The CTE or table has the columns of its history. */
export function callTrackerFacts(changed: string, reason: Expression<unknown>): RawBuilder<unknown> {
  const column = (name: keyof CallTrackerFacts) => sql.ref(`${changed}.${name}`);
  return sql`json_build_object('tracking_number', ${column("tracking_number")}, 'source', ${column("source")},
    'medium', ${column("medium")}, 'reason', ${reason})`;
}
