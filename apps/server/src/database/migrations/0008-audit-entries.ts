import { type Kysely, sql } from "kysely";

/**
 * Creates the audit log. Entries that belong to no account have the account id 0. The id of an entry contains the time of the change, so the
 * entries of an account sort by time. The index finds the entries of a resource.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table audit_entries (
      account_id integer not null,
      id uuid not null default uuid_v7(),
      method text not null,
      actor_kind text not null,
      actor_name text collate "C",
      key_prefix text,
      issuer text,
      resource_type text not null,
      resource_id text collate "C" not null,
      before json,
      after json not null,
      primary key (account_id, id)
    )`.execute(db);
  await sql`create index audit_entries_by_resource on audit_entries (account_id, resource_id, id)`.execute(db);
}
