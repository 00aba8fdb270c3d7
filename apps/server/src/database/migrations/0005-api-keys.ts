import { type Kysely, sql } from "kysely";

/** Creates the table of API keys. It is not divided by account, because the server looks up a key before it knows the account. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table api_keys (
      id uuid primary key default uuid_v7(),
      prefix text collate "C" not null,
      hash text collate "C" not null,
      description text,
      scopes text[] not null,
      account_id integer,
      account_token text collate "C",
      created_at timestamptz(3) not null default now(),
      expires_at timestamptz(3),
      last_used_at timestamptz(3),
      revoked_at timestamptz(3),
      constraint api_keys_prefix_is_unique unique (prefix),
      constraint api_keys_hash_is_sha_256 check (hash ~ '^[0-9a-f]{64}$'),
      constraint api_keys_scopes_are_known
        check (cardinality(scopes) > 0 and scopes <@ array['read', 'write', 'admin', 'dni']),
      constraint api_keys_account_has_both_names check ((account_id is null) = (account_token is null))
    )`.execute(db);
  await sql`create index api_keys_by_account on api_keys (account_id, id) where account_id is not null`.execute(db);
}
