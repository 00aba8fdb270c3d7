import { type Expression, sql } from "kysely";

/** The `updated_at` of a row that is being updated: now, and never the same twice. See `nextTime`. */
export const nextUpdateTime = nextTime(sql`now()`, sql`updated_at`);

/**
 * A time that moves with every update of a row, however fast they follow each other, and never back: the current one, and at least
 * a millisecond after the last.
 *
 * The sum is one of times without a zone, as PostgreSQL takes one with a zone to depend on the session, and a distributed database
 * refuses to leave that to the server that has the row.
 */
export function nextTime(current: Expression<unknown>, last: Expression<unknown>) {
  return sql<Date>`greatest(${current}, ((${last} at time zone 'UTC') + interval '1 millisecond') at time zone 'UTC')`;
}
