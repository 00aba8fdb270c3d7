import { type Kysely, sql } from "kysely";

/** Adds the hosts of SIP URIs that a phone system may dial. Servers of the previous version dial no SIP URIs, and leave this column unchanged. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table phone_systems add column allowed_sip_hosts text[] collate "C" not null default '{}'`.execute(
    db,
  );
}
