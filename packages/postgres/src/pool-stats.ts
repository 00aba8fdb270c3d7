/** What connections are for: statements that stand alone and read, or write; or transactions. */
export type ConnectionUse = "reads" | "writes" | "transactions";

/** The connections of one use. */
export interface PoolStats {
  readonly use: ConnectionUse;
  /** The limit of open connections. */
  readonly max: number;
  /** How the connections are used now. */
  readonly load: () => ConnectionLoad;
}

/** How connections are used at a moment. */
export interface ConnectionLoad {
  readonly open: number;
  /** Open connections with a statement or a transaction in progress. */
  readonly busy: number;
  /** Statements or transactions that wait for a connection. */
  readonly waiting: number;
}
