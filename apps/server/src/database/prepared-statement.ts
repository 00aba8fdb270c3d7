import { createStatementFactory } from "@calltrack/postgres";
import type { Kysely } from "kysely";
import type { Schema } from "./tables/schema.js";

/** Builds queries on the tables of the schema. */
export type QueryBuilder = Kysely<Schema>;

/** `listStatements` lists every statement of the server, once all modules are loaded. */
export const { prepareStatement, prepareLookup, prepareList, listStatements } = createStatementFactory<Schema>();
