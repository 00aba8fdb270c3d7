import { type Kysely, sql } from "kysely";
import { isDatabaseDistributed } from "../distribution/is-database-distributed.js";

/**
 * Creates the event log. Events that belong to no account have the account id 0. Events get their positions after the changed rows are locked,
 * so the events of a resource are in the order of its changes. The index is for reading the events of all accounts.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`create sequence event_positions`.execute(db);
  await sql`
    create table events (
      account_id integer not null,
      position bigint not null default nextval('event_positions'),
      type text collate "C" not null,
      occurred_at timestamptz not null default statement_timestamp(),
      pool_id uuid,
      resource_id uuid,
      number text collate "C",
      facts json,
      primary key (account_id, position)
    )`.execute(db);
  await sql`alter sequence event_positions owned by events.position`.execute(db);
  await sql`create index events_by_position on events (position)`.execute(db);
  // Stores the events of an account on the same worker as the other rows of the account.
  if (await isDatabaseDistributed(db))
    await sql`select create_distributed_table('events', 'account_id', colocate_with := 'accounts')`.execute(db);
  await sql`insert into settings (name, value) values ('event_log_id', uuid_send(gen_random_uuid())), ('last_deleted_event', int8send(0))`.execute(
    db,
  );
}
