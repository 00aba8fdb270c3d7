/** How long a connection to PostgreSQL is waited for, and a statement may run, where nothing else is said. */
export const DEFAULT_TIMEOUTS = { connectTimeoutMs: 10_000, statementTimeoutMs: 30_000 };
