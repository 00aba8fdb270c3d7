import { type Expression, sql } from "kysely";

/** The SQL expression for the new `updated_at` of a row: the current time, but always later than the previous `updated_at`. */
export const nextUpdateTimeExpression = buildNextTimeExpression(sql`now()`, sql`updated_at`);

/**
 * Builds an SQL expression for a time that increases with every update of a row: `current`, but at least a millisecond after `last`.
 *
 * The expression adds the millisecond to a time without a time zone. Adding to a timestamptz depends on the time zone of the session, so Citus
 * would not push such an expression down to the worker with the row.
 */
export function buildNextTimeExpression(current: Expression<unknown>, last: Expression<unknown>) {
  return sql<Date>`greatest(${current}, ((${last} at time zone 'UTC') + interval '1 millisecond') at time zone 'UTC')`;
}
