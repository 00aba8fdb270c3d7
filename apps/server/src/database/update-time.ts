import { type Expression, sql } from "kysely";

/** The new `updated_at` of a row: the current time, but always later than the previous value. See `nextTime`. */
export const nextUpdateTime = nextTime(sql`now()`, sql`updated_at`);

/**
 * Builds a time that increases with every update of a row: the current time, but at least a millisecond after the last time.
 *
 * It adds to a time without a zone: adding to a timestamptz depends on the session's time zone, so Citus would not push the expression down
 * to the worker with the row.
 */
export function nextTime(current: Expression<unknown>, last: Expression<unknown>) {
  return sql<Date>`greatest(${current}, ((${last} at time zone 'UTC') + interval '1 millisecond') at time zone 'UTC')`;
}
