import { visibleText } from "@calltrack/domain/visible-text";
import { ConfigError } from "../config/config-error.js";
import { stderrWriter } from "../observability/line-writer.js";

/** The reason why a server could not start or continue. */
export interface ServerFailure {
  /** The message for the operator: one line for each problem. */
  readonly message: string;
  readonly exitCode: number;
}

/** Thrown by the primary process if workers cannot start or stop properly. */
export class ServerFailedError extends Error {
  override readonly name = "ServerFailedError";

  constructor(readonly failure: ServerFailure) {
    super(failure.message);
  }
}

const EXIT_INVALID_CONFIGURATION = 2;

/** Returns the failure to report to the operator: for an AggregateError, that of its first error. */
export function explainFailure(error: unknown): ServerFailure {
  if (error instanceof ServerFailedError) return error.failure;
  if (error instanceof ConfigError) return { message: error.message, exitCode: EXIT_INVALID_CONFIGURATION };
  if (error instanceof AggregateError) return explainFailure(error.errors[0]);
  return { message: error instanceof Error ? error.message : String(error), exitCode: 1 };
}

/** Prints the reason for the failure to stderr and exits. Escapes control characters, because the message can quote a dump. */
export function exitWithFailure(error: unknown): never {
  const { message, exitCode } = explainFailure(error);
  const lines = message.split("\n").map((line) => visibleText(line));
  stderrWriter().write(`calltrack-server: ${lines.join("\n")}\n`);
  process.exit(exitCode);
}
