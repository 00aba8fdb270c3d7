/** The use of connections: reads or writes outside transactions, or transactions. */
export type ConnectionUse = "reads" | "writes" | "transactions";

/** Statistics of the connections for one use. */
export interface PoolStats {
  readonly use: ConnectionUse;
  /** The maximum number of open connections. */
  readonly max: number;
  readonly load: () => ConnectionLoad;
}

/** The load of connections at one moment. */
export interface ConnectionLoad {
  readonly open: number;
  /** Open connections with a statement or a transaction in progress. */
  readonly busy: number;
  /** Statements or transactions that wait for a connection. */
  readonly waiting: number;
}
