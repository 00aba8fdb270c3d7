import { type RawBuilder, sql } from "kysely";

/** The pool clock in SQL: the time that passes use, real or virtual. It is constant within a transaction. */
export const clockNow: RawBuilder<Date> = sql<Date>`clock_now()`;
