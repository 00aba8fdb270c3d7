import { type Kysely, sql } from "kysely";

/** Adds the reason why a call was rejected. It is unknown for calls from earlier releases. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table calls add column reject_reason text`.execute(db);
  // Citus adds a constraint to a distributed table only in a separate command.
  await sql`
    alter table calls
      add constraint calls_reject_reason_is_known check (reject_reason in ('LOOP', 'REPEATED'))`.execute(db);
}
