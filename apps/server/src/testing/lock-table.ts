import { sql } from "kysely";
import type { Schema } from "../database/tables/schema.js";
import type { TestServer } from "./test-server.js";

/** Locks a table of a server's database, so that statements of the server that use the table wait. Disposing of the lock releases it. */
export async function lockTable({ database }: TestServer, table: keyof Schema): Promise<AsyncDisposable> {
  const transaction = await database.kysely.startTransaction().execute();
  await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(transaction);
  return { [Symbol.asyncDispose]: () => transaction.rollback().execute() };
}
