import { type Kysely, sql } from "kysely";
import type { Schema } from "./tables/schema.js";

const MAX_SESSIONS = 3;

interface Holder {
  readonly pid: number;
  /** The application name. Null, like `state` and `since`, if the database user may not see the details of the session. */
  readonly application: string | null;
  readonly state: string | null;
  readonly since: Date | null;
  /** The names of the locked tables; null for an advisory lock. */
  readonly tables: readonly string[] | null;
}

/**
 * Describes the sessions that hold table locks, oldest transactions first. A blocked migration waits for one of these sessions, unless the
 * lock was released a moment ago.
 */
export async function describeTableLockHolders(db: Kysely<Schema>): Promise<string> {
  const { rows } = await sql<Holder>`
    select ${HOLDER_COLUMNS}, array_agg(distinct class.relname::text) as tables
    from pg_locks as held
    join pg_class as class on class.oid = held.relation and class.relkind = 'r'
    join pg_stat_activity as session on session.pid = held.pid
    where held.granted and session.datname = current_database() and session.pid <> pg_backend_pid()
      and class.relnamespace = current_schema()::regnamespace
    group by session.pid, session.application_name, session.state, session.xact_start
    order by session.xact_start limit ${sql.lit(MAX_SESSIONS)}`.execute(db);
  return describe(rows);
}

export async function describeAdvisoryLockHolder(db: Kysely<Schema>, key: number): Promise<string> {
  const { rows } = await sql<Holder>`
    select ${HOLDER_COLUMNS}, null as tables
    from pg_locks as held join pg_stat_activity as session on session.pid = held.pid
    where held.granted and held.locktype = 'advisory' and session.datname = current_database()
      and (held.classid::bigint << 32) | held.objid::bigint = ${sql.lit(key)}`.execute(db);
  return describe(rows);
}

const HOLDER_COLUMNS = sql`
  session.pid, session.application_name as application, session.state, session.xact_start as since`;

function describe(holders: readonly Holder[]): string {
  if (holders.length === 0) return "no visible session holds the lock";
  return holders
    .map(({ pid, application, state, since, tables }) => {
      const known = [application || "no name", ...(state === null ? [] : [`${state} since ${since?.toISOString()}`])];
      const session = `session ${pid} (${known.join(", ")})`;
      return tables === null ? session : `${session} has locked ${tables.join(", ")}`;
    })
    .join("; ");
}
