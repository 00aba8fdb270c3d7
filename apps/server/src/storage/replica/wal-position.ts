import { type QueryResult, sql } from "kysely";
import type { StatementRunner } from "../pipelined-kysely.js";
import type { PreparedQuery } from "../prepared-query.js";
import { type PreparedExecutor, prepareStatement } from "../prepared-statement.js";

/** How far a PostgreSQL server has come. */
export interface WalPosition {
  /** Which cluster it is, and which of its timelines: positions in different histories say nothing of each other. */
  readonly history: string;
  /** In bytes of the write-ahead log. */
  readonly position: number;
}

/** Where a primary is: all that it had acknowledged when it was asked is before this position. Fails on a standby. */
export async function readPrimaryPosition(runner: StatementRunner): Promise<WalPosition> {
  const [row] = await primaryPositionStatement(executorOn(runner), {});
  // A select without a table has one row.
  return row as WalPosition;
}

/** Where a standby is: reads that begin after it was asked see all before this position. Undefined if it is no standby. */
export async function readStandbyPosition(runner: StatementRunner): Promise<WalPosition | undefined> {
  const [row] = await standbyPositionStatement(executorOn(runner), {});
  return row;
}

const primaryPositionStatement = prepareStatement<object, WalPosition>((db) =>
  db.selectNoFrom([
    sql<string>`
      (select system_identifier from pg_control_system()) || ' ' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8)
    `.as("history"),
    sql<number>`(pg_current_wal_flush_lsn() - '0/0')::float8`.as("position"),
  ]),
);

const standbyPositionStatement = prepareStatement<object, WalPosition>((db) =>
  db
    .selectFrom(sql<{ system_identifier: string }>`pg_control_system()`.as("cluster"))
    .select([
      // That of its last checkpoint: after a failover the standby is taken to be in the old timeline for a while, and not used.
      sql<string>`
        system_identifier || ' ' || (select lpad(upper(to_hex(timeline_id)), 8, '0') from pg_control_checkpoint())
      `.as("history"),
      sql<number>`(pg_last_wal_replay_lsn() - '0/0')::float8`.as("position"),
    ])
    .where(sql<boolean>`pg_is_in_recovery()`),
);

function executorOn(runner: StatementRunner): PreparedExecutor {
  return { executeQuery: <R>(query: PreparedQuery<R>) => runner.run(query) as Promise<QueryResult<R>> };
}
