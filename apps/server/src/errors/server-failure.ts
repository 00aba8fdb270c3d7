import { ConfigError } from "../config/config-error.js";

/** Why a server could not start, or go on. */
export interface ServerFailure {
  /** What to tell the operator: one line, or one for each of several problems. */
  readonly message: string;
  readonly exitCode: number;
}

/** A server failed by what one of its processes met with. */
export class ServerFailedError extends Error {
  override readonly name = "ServerFailedError";

  constructor(readonly failure: ServerFailure) {
    super(failure.message);
  }
}

/** The exit code of a server that was told what it cannot run on. */
const BAD_CONFIGURATION = 2;

/** Explains to an operator why a server failed. */
export function explainFailure(error: unknown): ServerFailure {
  if (error instanceof ServerFailedError) return error.failure;
  if (error instanceof ConfigError) return { message: error.message, exitCode: BAD_CONFIGURATION };
  if (error instanceof AggregateError) return explainFailure(error.errors[0]);
  return { message: error instanceof Error ? error.message : String(error), exitCode: 1 };
}

/** Ends the process with one line on stderr that says what it failed with. */
export function endProcess(error: unknown): never {
  const { message, exitCode } = explainFailure(error);
  process.stderr.write(`calltrack-server: ${message}\n`);
  process.exit(exitCode);
}
