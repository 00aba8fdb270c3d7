import { type Kysely, sql } from "kysely";

/** Adds the reason why a call was rejected. The reason is unknown for calls that earlier releases recorded. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table calls add column reject_reason text`.execute(db);
  // A separate command, because Citus cannot add a column and its constraint to a distributed table in one command.
  await sql`
    alter table calls
      add constraint calls_reject_reason_is_known check (reject_reason in ('LOOP', 'REPEATED'))`.execute(db);
}
