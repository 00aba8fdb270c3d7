import type { Executor } from "@calltrack/postgres";
import { type RawBuilder, sql } from "kysely";
import { prepareStatement } from "../../database/prepared-statement.js";
import { clockNow } from "./clock-now.js";

/** `clockNow`, worked out once in a statement: by itself it is worked out anew for every row that it is compared with. */
export const statementTime: RawBuilder<Date> = sql<Date>`(select ${clockNow})`;

const clockStatement = prepareStatement<object, { now: Date }>((db) => db.selectNoFrom(clockNow.as("now")));

/**
 * Gives the reading of the time by which pools are managed. Where that cannot be moved it is the time of day, and the database
 * is not asked.
 */
export function createCurrentTime(db: Executor, hasVirtualClock: boolean): () => Promise<Date> {
  if (!hasVirtualClock) return async () => new Date();
  return async () => {
    const [row] = await clockStatement(db, {});
    return row?.now ?? new Date();
  };
}
