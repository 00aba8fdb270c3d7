import { type Expression, sql } from "kysely";
import { clockNowSubqueryExpression } from "../../clock/clock.js";

/**
 * Builds the SQL condition that an entry in the history of a tracking number counts for a call: the call did not start before the entry.
 *
 * The history has entries with future times if the clock of the database was ahead and has been set back. Nobody knows when they really happened. They
 * count for the calls of the last 24 hours: most calls are recorded sooner, and few people still call a number's previous holder.
 *
 * @param occurredAt the time of the entry.
 * @param startedAt the start of the call.
 */
export function buildHistoryTimeCondition(occurredAt: Expression<Date>, startedAt: Expression<Date>) {
  return sql<boolean>`(${occurredAt} <= ${startedAt} or (
    ${occurredAt} > ${clockNowSubqueryExpression} and ${startedAt} > ${clockNowSubqueryExpression} - interval '24 hours'))`;
}
