import { type Kysely, sql } from "kysely";
import { findAppliedMigrations } from "./schema-history.js";
import type { Schema } from "./tables/schema.js";

/** The migration that creates the table of webhook endpoints. */
const MIGRATION = "0023-webhook-endpoints";

/**
 * Makes all webhook endpoints inactive until a request resumes them, because a copy of a database must not send to the receivers of the
 * original. Does nothing before the migration that creates the table.
 *
 * @param reason for people; it completes the sentence that begins with the endpoint.
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
