import { sql } from "kysely";
import { createStatementFactory } from "../prepared-statement.js";

/** A position in the write-ahead log of a PostgreSQL server. */
export interface WalPosition {
  /** The cluster and its timeline. Positions in different histories cannot be compared. */
  readonly history: string;
  /** In bytes. */
  readonly position: number;
}

const { prepareStatement } = createStatementFactory<unknown>();

/** Reads the position of a primary. All commits acknowledged before the call precede it. Fails on a standby. */
export const readPrimaryPosition = prepareStatement<object, WalPosition>((db) =>
  db.selectNoFrom([
    sql<string>`
      (select system_identifier from pg_control_system()) || ' ' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8)
    `.as("history"),
    sql<number>`(pg_current_wal_flush_lsn() - '0/0')::float8`.as("position"),
  ]),
);

/** Reads the position of a standby. Later reads see everything before it. Returns no row if the server is not a standby. */
export const readStandbyPosition = prepareStatement<object, WalPosition>((db) =>
  db
    .selectFrom(sql<{ system_identifier: string }>`pg_control_system()`.as("cluster"))
    .select([
      // The timeline of the last checkpoint. After a failover it stays outdated for a while, and the standby is not used.
      sql<string>`
        system_identifier || ' ' || (select lpad(upper(to_hex(timeline_id)), 8, '0') from pg_control_checkpoint())
      `.as("history"),
      sql<number>`(pg_last_wal_replay_lsn() - '0/0')::float8`.as("position"),
    ])
    .where(sql<boolean>`pg_is_in_recovery()`),
);
