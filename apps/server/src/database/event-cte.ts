import type { EventType } from "@calltrack/domain";
import { type Expression, type RawBuilder, sql } from "kysely";
import type { CallTrackerFacts } from "./tables/schema.js";

/** The rows of a statement that are logged as events, and the columns of these events. */
export interface LoggedEvents {
  readonly accountId: Expression<number>;
  readonly type: EventType | Expression<EventType>;
  /** The CTEs with the changed rows, as a FROM clause. */
  readonly from: Expression<unknown>;
  /** Selects the rows that are logged. Default: all. */
  readonly where?: Expression<boolean>;
  /** The pool of a call tracker or call flow. Default: none. */
  readonly poolId?: Expression<unknown>;
  /** The UUID of the resource, such as a call tracker. Default: none, for resources that an account has only once. */
  readonly resourceId?: Expression<unknown>;
  /** The tracking number. Default: none. */
  readonly number?: Expression<unknown>;
  /** The facts of a change to a call tracker, as JSON. Default: none. */
  readonly facts?: Expression<unknown>;
}

/**
 * Builds the CTE that writes the events of a statement, so that a change and its events are atomic. Positions are assigned after the changed
 * rows are locked, so the events of a resource are in the order of its changes.
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

/** Builds the facts about a change to a call tracker. `changed` is a CTE or table with the columns of the history. */
export function callTrackerFacts(changed: string, reason: Expression<unknown>): RawBuilder<unknown> {
  const column = (name: keyof CallTrackerFacts) => sql.ref(`${changed}.${name}`);
  return sql`json_build_object('tracking_number', ${column("tracking_number")}, 'source', ${column("source")},
    'medium', ${column("medium")}, 'reason', ${reason})`;
}
