import type { EventType } from "@calltrack/domain";
import { type Expression, type RawBuilder, sql } from "kysely";
import type { CallTrackerEventFacts } from "./tables/schema.js";

/** Describes which rows of a statement are logged as events, and the columns of the events. */
export interface EventCteOptions {
  readonly accountId: Expression<number>;
  readonly type: EventType | Expression<EventType>;
  /** The FROM clause that reads the CTEs with the changed rows. */
  readonly from: Expression<unknown>;
  /** A condition on the rows that are logged. Default: all rows are logged. */
  readonly where?: Expression<boolean>;
  /** The id of the pool that a call tracker or call flow belongs to. Default: null. */
  readonly poolId?: Expression<unknown>;
  /** The UUID of the resource. Default: null, for resources without a UUID. */
  readonly resourceId?: Expression<unknown>;
  /** The phone number, if the resource is a tracking number. Default: null. */
  readonly number?: Expression<unknown>;
  /** The facts about a change to a call tracker, as JSON. Default: null. */
  readonly facts?: Expression<unknown>;
}

/**
 * Builds the CTE that writes the events of a statement, so that a change and its events are atomic. Events get their positions after the
 * changed rows are locked, so the events of a resource are in the order of its changes.
 */
export function buildEventCte({ accountId, type, from, where, poolId, resourceId, number, facts }: EventCteOptions) {
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

/** Builds the facts about a change to a call tracker, as JSON. `changed` is a CTE or table with the columns of `CallTrackerChangeTable`. */
export function buildCallTrackerEventFacts(changed: string, reason: Expression<unknown>): RawBuilder<unknown> {
  const column = (name: keyof CallTrackerEventFacts) => sql.ref(`${changed}.${name}`);
  return sql`json_build_object('tracking_number', ${column("tracking_number")}, 'source', ${column("source")},
    'medium', ${column("medium")}, 'reason', ${reason})`;
}
