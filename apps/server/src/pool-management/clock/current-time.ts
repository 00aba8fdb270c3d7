import type { Executor } from "@calltrack/postgres";
import { type RawBuilder, sql } from "kysely";
import { prepareStatement } from "../../storage/prepared-statement.js";
import { clockNow } from "./clock-now.js";

/**
 * `clockNow`, evaluated once per statement. Without the subquery, PostgreSQL evaluates it for every row that it is
 * compared with.
 */
export const statementTime: RawBuilder<Date> = sql<Date>`(select ${clockNow})`;

const clockStatement = prepareStatement<object, { now: Date }>((db) => db.selectNoFrom(clockNow.as("now")));

/**
 * Creates a function that reads the pool clock. Without a virtual clock it returns the system time and needs no
 * query.
 */
export function createClockReader(db: Executor, hasVirtualClock: boolean): () => Promise<Date> {
  if (!hasVirtualClock) return async () => new Date();
  return async () => {
    const [row] = await clockStatement(db, {});
    return row?.now ?? new Date();
  };
}
