/** Time to wait for a connection to PostgreSQL, and time that a statement may run, unless configured. */
export const DEFAULT_TIMEOUTS = { connectTimeoutMs: 10_000, statementTimeoutMs: 30_000 };
