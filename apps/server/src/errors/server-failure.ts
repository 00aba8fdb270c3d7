import { escapeForTerminal } from "@calltrack/domain/escape-for-terminal";
import { ConfigError } from "../config/config-error.js";
import { getStderrWriter } from "../observability/line-writer.js";

/** Why a server process could not start or continue. */
export interface ServerFailure {
  /** For the operator: one line per problem. */
  readonly message: string;
  readonly exitCode: number;
}

/** Thrown by the primary process if its worker processes cannot start or stop properly. */
export class ServerFailedError extends Error {
  override readonly name = "ServerFailedError";

  constructor(readonly failure: ServerFailure) {
    super(failure.message);
  }
}

const EXIT_INVALID_CONFIGURATION = 2;

/** Returns the message and the exit code for an error. For an AggregateError, returns those for its first error. */
export function explainServerFailure(error: unknown): ServerFailure {
  if (error instanceof ServerFailedError) return error.failure;
  if (error instanceof ConfigError) return { message: error.message, exitCode: EXIT_INVALID_CONFIGURATION };
  if (error instanceof AggregateError) return explainServerFailure(error.errors[0]);
  return { message: error instanceof Error ? error.message : String(error), exitCode: 1 };
}

/** Prints the message of an error to stderr and exits. Escapes control characters, because the message can quote a dump. */
export function exitWithFailure(error: unknown): never {
  const { message, exitCode } = explainServerFailure(error);
  const lines = message.split("\n").map((line) => escapeForTerminal(line));
  getStderrWriter().write(`calltrack-server: ${lines.join("\n")}\n`);
  process.exit(exitCode);
}
