import { type Kysely, sql } from "kysely";
import { findAppliedMigrations } from "./schema-history.js";
import type { Schema } from "./tables/schema.js";

/** The name of the migration that creates the table `webhook_endpoints`. */
const MIGRATION = "0023-webhook-endpoints";

/**
 * Makes all webhook endpoints inactive until a request resumes them, because a copy of a database must not send events to the receivers of the
 * original database. Does nothing if the schema has no webhook endpoints yet.
 *
 * @param reason human-readable, such as `the endpoint was restored from a dump`.
 */
export async function pauseWebhookEndpoints(db: Kysely<Schema>, reason: string): Promise<void> {
  if (!(await findAppliedMigrations(db)).includes(MIGRATION)) return;
  await db
    .updateTable("webhook_endpoints")
    .set({
      ...{ is_active: false, inactive_reason: reason, leased_by: null, leased_until: null },
      updated_at: sql`now()`,
    })
    .where("is_active", "=", true)
    .execute();
}
