import { type Kysely, sql } from "kysely";

/** Adds the phone number that answered a call. Servers of the previous version leave this column unchanged. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table calls add column answered_by text collate "C"`.execute(db);
}
