import type pg from "pg";
import { onServerParameter } from "./driver-internals.js";
import { DatabaseUnavailableError } from "./postgres-error.js";

/** The parameters by which a read-only server announces itself when a session begins, since PostgreSQL 14. */
const READ_ONLY_PARAMETERS = new Set(["in_hot_standby", "default_transaction_read_only"]);

/**
 * Connects a client, by its own method unless another is given.
 *
 * @param needsPrimary whether the server must take writes. A former primary that became a standby would answer reads with stale
 * rows, unnoticed.
 * @throws what `pg` throws; DatabaseUnavailableError if the server is read-only and must not be.
 */
export async function connectTo(
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
