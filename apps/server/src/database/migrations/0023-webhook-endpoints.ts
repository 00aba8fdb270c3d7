import { type Kysely, sql } from "kysely";
import { isDatabaseDistributed } from "../distribution/is-database-distributed.js";

/**
 * Creates webhook endpoints and their deliveries. Webhook endpoints of the operator have the account id 0. A server must process an endpoint at
 * its `due_at` even without a new event: when its lease ends, or when the next attempt is due.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table webhook_endpoints (
      account_id integer not null,
      id uuid not null default uuid_v7(),
      url text not null,
      description text,
      types text[] collate "C" not null,
      payload text not null,
      ordered boolean not null,
      concurrency smallint not null,
      max_age_seconds integer not null,
      secrets jsonb not null,
      is_active boolean not null default true,
      inactive_reason text,
      position bigint not null,
      failing_since timestamptz(3),
      retry_after timestamptz(3),
      due_at timestamptz(3) not null default 'infinity',
      leased_by uuid,
      leased_until timestamptz(3),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (account_id, id),
      constraint webhook_endpoints_payload_is_known check (payload in ('full', 'thin')),
      constraint webhook_endpoints_inactive_has_reason check (is_active = (inactive_reason is null))
    )`.execute(db);
  await sql`create index webhook_endpoints_due on webhook_endpoints (due_at) where is_active`.execute(db);
  // No foreign key references webhook_endpoints, because deliveries are deleted after their endpoint, in short statements.
  await sql`
    create table webhook_deliveries (
      account_id integer not null,
      endpoint_id uuid not null,
      position bigint not null,
      subject text collate "C" not null,
      call_id uuid,
      status text not null default 'waiting',
      due_at timestamptz(3),
      attempts smallint not null default 0,
      attempted_at timestamptz(3),
      response_status smallint,
      failure text,
      response_body text,
      primary key (account_id, endpoint_id, position),
      constraint webhook_deliveries_status_is_known check (status in ('waiting', 'delivered', 'dead')),
      constraint webhook_deliveries_waiting_are_due check ((status = 'waiting') = (due_at is not null))
    )`.execute(db);
  await sql`
    create index webhook_deliveries_due on webhook_deliveries (account_id, endpoint_id, due_at)
    where status = 'waiting'`.execute(db);
  await sql`
    create index webhook_deliveries_waiting on webhook_deliveries (account_id, endpoint_id, subject, position)
    where status = 'waiting'`.execute(db);
  await sql`
    create index webhook_deliveries_with_body on webhook_deliveries (account_id, call_id)
    where response_body is not null and call_id is not null`.execute(db);
  // Stores the endpoints and deliveries of an account on the same worker as the other rows of the account.
  if (await isDatabaseDistributed(db)) {
    for (const table of ["webhook_endpoints", "webhook_deliveries"])
      await sql`select create_distributed_table(${sql.lit(table)}, 'account_id', colocate_with := 'accounts')`.execute(
        db,
      );
  }
  // Allows null, because the audit entry of a deletion has no state after the change.
  await sql`alter table audit_entries alter column after drop not null`.execute(db);
}
