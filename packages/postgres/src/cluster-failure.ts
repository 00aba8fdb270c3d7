/*
 * Failures between the servers of a Citus cluster, as the coordinator reports them. The coordinator forwards the SQLSTATE of a worker's
 * error only if it received the complete error. Otherwise the SQLSTATE is 08006, XX000 or 58030, and only the text identifies the failure.
 *
 * See src/backend/distributed of https://github.com/citusdata/citus: connection/remote_commands.c,
 * connection/placement_connection.c, transaction/remote_transaction.c, executor/adaptive_executor.c and commands/multi_copy.c.
 */

/** The SQLSTATEs `internal_error` and `io_error`. A Citus coordinator reports them after it loses a worker, but also for other errors. */
const UNSPECIFIC_STATES = new Set(["XX000", "58030"]);

const CONNECTION_FAILURE = "08006";

const FOREIGN_KEY_VIOLATION = "23503";

/** Matches the message of a foreign key violation on a Citus shard. A shard is a table whose name ends in the shard's number. */
const SHARD_VIOLATION = /^insert or update on table ".*_\d+" violates foreign key constraint /;

/**
 * Matches messages about a lost connection to a worker, or about the shutdown of a Citus coordinator. The coordinator, libpq or a worker reports
 * them.
 */
const LOST_WORKER = new RegExp(
  `^(?:${[
    "failure on connection marked as essential",
    "could not commit transaction for shard",
    "failed to (?:COPY to shard|complete COPY on|prepare transaction|read result)",
    "execution cannot recover from multiple connection failures",
    "terminating connection (?:due to|because of)",
    "postmaster was shut down",
    "the database system is ",
    "server closed the connection",
    "no connection to the server",
    "connection not open",
    "could not (?:receive data from|send data to) server",
    "SSL (?:SYSCALL error|error|connection has been closed)",
  ].join("|")})`,
);

/** Matches a Citus coordinator's error messages about a worker to which it could not connect. */
const UNREACHED_WORKER = new RegExp(
  `^(?:${[
    "could not establish any connections to the node",
    "connection establishment for node",
    "could not connect to any active placements",
    "could not find an available connection",
    "cannot connect to ",
    "the total number of connections on the server is more than max_connections",
  ].join("|")})`,
);

/** Matches the first part of a Citus coordinator's message about an error from libpq. */
const CONNECTION_ERROR = /^connection to the remote node .*? failed with the following error: /s;

/** Matches libpq's error messages about a connection that was never established. */
const REFUSED_CONNECTION = new RegExp(
  [
    "Connection refused",
    "No route to host",
    "Network is unreachable",
    "could not translate host name",
    "timeout expired",
    "FATAL: +(?:the database system is|sorry, too many clients|remaining connection slots|password authentication failed)",
  ].join("|"),
);

/**
 * Reports whether an error means that a Citus coordinator lost a worker. The worker may have run the statement.
 *
 * @param state the SQLSTATE.
 */
export function isLostWorkerError(state: string, message: string): boolean {
  return UNSPECIFIC_STATES.has(state) && LOST_WORKER.test(message);
}

/**
 * Reports whether an error means that a Citus worker did not run the statement, which therefore changed nothing:
 *
 * - The coordinator failed to connect to the worker. It rolls back the statement on other workers.
 * - The statement refers to a row whose two-phase commit is incomplete, because the worker was lost between the two phases. The coordinator completes
 *   the commit later. This function treats every foreign key violation on a shard this way. Foreign keys in a cluster should therefore refer to rows
 *   that are never deleted.
 *
 * @param state the SQLSTATE.
 * @param constraint the name of the violated constraint; undefined in an error that a coordinator forwards from a worker.
 */
export function isUnexecutedStatementError(state: string, message: string, constraint: unknown): boolean {
  if (state === FOREIGN_KEY_VIOLATION) return constraint === undefined && SHARD_VIOLATION.test(message);
  if (state === CONNECTION_FAILURE) return UNREACHED_WORKER.test(message) || isConnectionRefused(message);
  return UNSPECIFIC_STATES.has(state) && UNREACHED_WORKER.test(message);
}

function isConnectionRefused(message: string): boolean {
  const [start] = CONNECTION_ERROR.exec(message) ?? [];
  return start !== undefined && REFUSED_CONNECTION.test(message.slice(start.length));
}
