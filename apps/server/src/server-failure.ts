import { ConfigError } from "./config-error.js";

/** Why a server could not start, or go on. */
export interface ServerFailure {
  /** One line for whoever started it. */
  readonly line: string;
  readonly exitCode: number;
}

/** A server failed by what one of its processes met with. */
export class ServerFailedError extends Error {
  override readonly name = "ServerFailedError";

  constructor(readonly failure: ServerFailure) {
    super(failure.line);
  }
}

/** The exit code of a server that was told what it cannot run on. */
const BAD_CONFIGURATION = 2;

/** Puts what a server failed with into one line. */
export function explainFailure(error: unknown): ServerFailure {
  if (error instanceof ServerFailedError) return error.failure;
  if (error instanceof ConfigError) return { line: error.message, exitCode: BAD_CONFIGURATION };
  if (error instanceof AggregateError) return explainFailure(error.errors[0]);
  return { line: error instanceof Error ? error.message : String(error), exitCode: 1 };
}
