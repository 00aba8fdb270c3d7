import { type RawBuilder, sql } from "kysely";

/** The time by which pools are managed, as statements have it: the same throughout a transaction. */
export const clockNow: RawBuilder<Date> = sql<Date>`clock_now()`;
