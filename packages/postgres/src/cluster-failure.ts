/*
 * Failures between the servers of a Citus cluster, as the coordinator reports them. The coordinator forwards the SQLSTATE of a worker's
 * error only if it received the complete error. Otherwise the SQLSTATE is 08006, XX000 or 58030, and only the text identifies the failure.
 *
 * See src/backend/distributed of https://github.com/citusdata/citus: connection/remote_commands.c,
 * connection/placement_connection.c, transaction/remote_transaction.c, executor/adaptive_executor.c and commands/multi_copy.c.
 */

/** `internal_error` and `io_error`, which a coordinator also reports after losing a worker. */
const UNSPECIFIC_STATES = new Set(["XX000", "58030"]);

const CONNECTION_FAILURE = "08006";

const FOREIGN_KEY_VIOLATION = "23503";

/** A foreign key violation on a shard: a table whose name ends in the number of the shard. */
const SHARD_VIOLATION = /^insert or update on table ".*_\d+" violates foreign key constraint /;

/** Errors after the loss of a connection to a worker: from the coordinator, libpq or the worker, or from a coordinator that shuts down. */
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

/** The coordinator's errors about a worker that it could not connect to. */
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

/** The text that the coordinator puts before an error from libpq. */
const CONNECTION_ERROR = /^connection to the remote node .*? failed with the following error: /s;

/** libpq's errors about a connection that was never established. */
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
 * Reports whether an error without a specific SQLSTATE means that a coordinator lost a worker, which may have run the statement.
 *
 * @param state the SQLSTATE.
 */
export function isWorkerLost(state: string, message: string): boolean {
  return UNSPECIFIC_STATES.has(state) && LOST_WORKER.test(message);
}

/**
 * Reports whether an error means that a worker did not run the statement, which therefore changed nothing:
 *
 * - The coordinator failed to connect to the worker. It rolls back the statement on other workers.
 * - The statement refers to a row that the worker has not committed yet, because the worker was lost between the two phases of that commit.
 *   The coordinator completes the commit later. Every foreign key violation on a shard is treated this way, so foreign keys in a cluster
 *   should refer to rows that are never deleted.
 *
 * @param state the SQLSTATE.
 * @param constraint the constraint in the error; undefined if a coordinator forwards an error from a worker.
 */
export function isNotExecuted(state: string, message: string, constraint: unknown): boolean {
  if (state === FOREIGN_KEY_VIOLATION) return constraint === undefined && SHARD_VIOLATION.test(message);
  if (state === CONNECTION_FAILURE) return UNREACHED_WORKER.test(message) || isConnectionRefused(message);
  return UNSPECIFIC_STATES.has(state) && UNREACHED_WORKER.test(message);
}

function isConnectionRefused(message: string): boolean {
  const [start] = CONNECTION_ERROR.exec(message) ?? [];
  return start !== undefined && REFUSED_CONNECTION.test(message.slice(start.length));
}
