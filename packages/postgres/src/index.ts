export type { CompiledStatement } from "./compiled-statement.js";
export type { ConnectionLoad, ConnectionPoolStats, ConnectionUse } from "./connection-pool.js";
export { type BatchLimits, createBatcher } from "./create-batcher.js";
export type { Executor } from "./executor.js";
export { KyselyExecutor } from "./kysely-executor.js";
export { columnNames, type ListColumns } from "./list-columns.js";
export {
  DEFAULT_CONNECTIONS,
  openPostgres,
  type PostgresDatabase,
  type PostgresObserver,
  type PostgresOptions,
} from "./open-postgres.js";
export {
  DatabaseUnavailableError,
  isCancelled,
  isCheckViolation,
  isDatabaseUnavailable,
  isLockFailure,
  isOutOfResources,
  isUniqueViolation,
  isUnknownValue,
  OutcomeUnknownError,
} from "./postgres-error.js";
export {
  createStatementFactory,
  type LookupBuilder,
  type Parameter,
  type ParameterTypes,
  type PreparedStatement,
  type StatementBuilder,
} from "./prepared-statement.js";
export { RequestAbandonedError } from "./request-deadline.js";
export { currentContext, runDetached, runTraced, runWithDeadline, type StatementTrace } from "./statement-context.js";
export { createStatementLog } from "./statement-log.js";
