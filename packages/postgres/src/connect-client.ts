import type pg from "pg";
import { onServerParameter } from "./driver-internals.js";
import { DatabaseUnavailableError } from "./postgres-error.js";

/** The parameters with which a server reports at the start of a session that it is read-only, since PostgreSQL 14. */
const READ_ONLY_PARAMETERS = new Set(["in_hot_standby", "default_transaction_read_only"]);

/**
 * Connects a client.
 *
 * @param needsPrimary whether to reject a read-only server. A former primary that became a standby would silently return stale
 * rows.
 * @param connect opens the connection. Default: the method of the client.
 * @throws the error of `pg`; DatabaseUnavailableError if `needsPrimary` is true and the server is read-only.
 */
export async function connectClient(
  client: pg.Client,
  needsPrimary: boolean,
  connect: () => Promise<unknown> = () => client.connect(),
): Promise<void> {
  let isReadOnly = false;
  onServerParameter(client, (name, value) => {
    if (READ_ONLY_PARAMETERS.has(name) && value === "on") isReadOnly = true;
  });
  await connect();
  if (!isReadOnly || !needsPrimary) return;
  await client.end();
  throw new DatabaseUnavailableError("the database is read-only: it is a standby, or configured as read-only");
}
