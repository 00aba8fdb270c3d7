import { createStatementFactory } from "@calltrack/postgres";
import type { Kysely } from "kysely";
import type { Schema } from "./tables/schema.js";

/** Builds queries on the tables of the schema. */
export type QueryBuilder = Kysely<Schema>;

/** `PREPARED_STATEMENTS` has all that the server ever runs, once its modules are loaded. */
export const { prepareStatement, prepareLookup, statements: PREPARED_STATEMENTS } = createStatementFactory<Schema>();
