import { createStatementFactory } from "@calltrack/postgres";
import type { Kysely } from "kysely";
import type { Schema } from "./tables/schema.js";

export type QueryBuilder = Kysely<Schema>;

/** `listStatements` returns all prepared statements of the modules that have been loaded. */
export const { prepareStatement, prepareLookup, prepareList, listStatements } = createStatementFactory<Schema>();
