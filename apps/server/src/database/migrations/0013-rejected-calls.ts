import { type Kysely, sql } from "kysely";

/** Adds why a call was rejected. Earlier releases stored no reason, so that it is unknown of their calls. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table calls add column reject_reason text`.execute(db);
  // A distributed table takes a constraint only by itself.
  await sql`
    alter table calls
      add constraint calls_reject_reason_is_known check (reject_reason in ('LOOP', 'REPEATED'))`.execute(db);
}
