import { type Kysely, sql } from "kysely";

/** Creates the table of idempotency keys and stored responses. Requests without an account have the account id 0, which no account has. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table idempotency_keys (
      account_id integer not null,
      key_hash bytea not null,
      request_hash bytea not null,
      answer bytea,
      created_at timestamptz(3) not null default now(),
      expires_at timestamptz(3) not null,
      primary key (account_id, key_hash),
      constraint idempotency_keys_hashes_are_sha_256 check (length(key_hash) = 32 and length(request_hash) = 32)
    )`.execute(db);
  await sql`create index idempotency_keys_by_expiry on idempotency_keys (expires_at)`.execute(db);
}
