export type { CompiledStatement } from "./compiled-statement.js";
export type { ConnectionLoad, ConnectionPoolStats, ConnectionUse } from "./connection-pool.js";
export { type BatchLimits, createBatcher } from "./create-batcher.js";
export type { Executor } from "./executor.js";
export { type ColumnJsonTypes, listColumnNames } from "./json-columns.js";
export { KyselyExecutor } from "./kysely-executor.js";
export {
  DEFAULT_CONNECTION_LIMITS,
  openPostgres,
  type PostgresDatabase,
  type PostgresObserver,
  type PostgresOptions,
} from "./open-postgres.js";
export {
  DatabaseUnavailableError,
  isCanceledError,
  isCheckViolation,
  isDatabaseUnavailable,
  isInvalidParameterError,
  isLockFailure,
  isOutOfResourcesError,
  isUniqueViolation,
  OutcomeUnknownError,
} from "./postgres-error.js";
export {
  createStatementFactory,
  type ParameterGetter,
  type ParameterTypes,
  type PreparedStatement,
  type StatementBuilder,
  type SubqueryBuilder,
} from "./prepared-statement.js";
export { RequestAbandonedError } from "./request-deadline.js";
export {
  findStatementContext,
  runTraced,
  runWithDeadline,
  runWithoutDeadline,
  type StatementTrace,
} from "./statement-context.js";
export { createStatementLog } from "./statement-log.js";
