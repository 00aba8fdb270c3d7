import type pg from "pg";
import { DatabaseUnavailableError } from "./postgres-error.js";

/** What a server that takes only reads says of itself when a session begins, from PostgreSQL 14 on. */
const READ_ONLY_SETTINGS = new Set(["in_hot_standby", "default_transaction_read_only"]);

/**
 * Connects a client, by its own method unless another is given.
 *
 * @param needsPrimary whether the server must take writes. One that was the primary and has become a standby would answer reads
 * with what it has, and nobody would know.
 * @throws what `pg` throws, or DatabaseUnavailableError if the server takes only reads and must not.
 */
export async function connectTo(
  client: pg.Client,
  needsPrimary: boolean,
  connect: () => Promise<unknown> = () => client.connect(),
): Promise<void> {
  let isReadOnly = false;
  const { connection } = client as unknown as { readonly connection: NodeJS.EventEmitter };
  connection.on("parameterStatus", ({ parameterName, parameterValue }: Readonly<Record<string, string>>) => {
    if (READ_ONLY_SETTINGS.has(parameterName ?? "") && parameterValue === "on") isReadOnly = true;
  });
  await connect();
  if (!isReadOnly || !needsPrimary) return;
  await client.end();
  throw new DatabaseUnavailableError("the database takes only reads: it is a standby, or was set so");
}
