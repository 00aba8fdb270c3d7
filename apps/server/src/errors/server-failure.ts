import { visibleText } from "@calltrack/domain/visible-text";
import { ConfigError } from "../config/config-error.js";
import { stderrWriter } from "../observability/line-writer.js";

/** The reason why a server could not start or continue. */
export interface ServerFailure {
  /** The message for the operator: one line for each problem. */
  readonly message: string;
  readonly exitCode: number;
}

/** Thrown if a process of the server fails. */
export class ServerFailedError extends Error {
  override readonly name = "ServerFailedError";

  constructor(readonly failure: ServerFailure) {
    super(failure.message);
  }
}

/** The exit code for an invalid configuration. */
const BAD_CONFIGURATION = 2;

/** Explains to an operator why a server failed. */
export function explainFailure(error: unknown): ServerFailure {
  if (error instanceof ServerFailedError) return error.failure;
  if (error instanceof ConfigError) return { message: error.message, exitCode: BAD_CONFIGURATION };
  if (error instanceof AggregateError) return explainFailure(error.errors[0]);
  return { message: error instanceof Error ? error.message : String(error), exitCode: 1 };
}

/** Prints the reason for the failure to stderr and exits. Control characters are escaped: it can quote a dump. */
export function endProcess(error: unknown): never {
  const { message, exitCode } = explainFailure(error);
  const lines = message.split("\n").map((line) => visibleText(line));
  stderrWriter().write(`calltrack-server: ${lines.join("\n")}\n`);
  process.exit(exitCode);
}
