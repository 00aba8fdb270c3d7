export { type BatchLimits, batchCalls } from "./batch-calls.js";
export { currentCall, runDetached, runTraced, runWithDeadline, type StatementTrace } from "./call-context.js";
export { CallAbandonedError } from "./call-deadline.js";
export type { CompiledStatement } from "./compiled-statement.js";
export type { Executor } from "./executor.js";
export { KyselyExecutor } from "./kysely-executor.js";
export {
  DEFAULT_CONNECTIONS,
  openPostgres,
  type PostgresDatabase,
  type PostgresObserver,
  type PostgresOptions,
} from "./open-postgres.js";
export type { PipelineShape } from "./pipeline.js";
export type { ConnectionLoad, ConnectionUse, PoolStats } from "./pool-stats.js";
export {
  DatabaseUnavailableError,
  isCancelled,
  isCheckViolation,
  isDatabaseUnavailable,
  isLockFailure,
  isOutOfResources,
  isReadOnly,
  isTransient,
  isUniqueViolation,
  OutcomeUnknownError,
} from "./postgres-error.js";
export {
  createStatementFactory,
  type ListRow,
  type LookupBuilder,
  type Parameter,
  type ParameterTypes,
  type PreparedStatement,
  readListRow,
  type StatementBuilder,
} from "./prepared-statement.js";
export type { ReplicaObserver } from "./replica/replica-reader.js";
export { type Columns, type ColumnType, readTimeMs } from "./row-reader.js";
export { createStatementLog } from "./statement-log.js";
export { StoredRow } from "./stored-row.js";
