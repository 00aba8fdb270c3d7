import { sql } from "kysely";

/**
 * The `updated_at` of a row that is being updated: now, and at least a millisecond after the update before, so that it moves
 * with every update however fast they follow each other, and never back.
 */
export const nextUpdateTime = sql<Date>`greatest(clock_timestamp(), updated_at + interval '1 millisecond')`;
