import { escapeForTerminal } from "@calltrack/domain/escape-for-terminal";
import { BadRequestSchema, ErrorInfoSchema } from "@calltrack/domain/gen/google/rpc/error_details_pb";
import { Code, ConnectError } from "@connectrpc/connect";
import { findServiceRetryDelayMs } from "./connection/retry/retry-delay.js";
import { UnansweredRequestError } from "./connection/unanswered-request-error.js";
import {
  formatUnreachableError,
  isConnectionLostError,
  isUnreachableError,
  isUntrustedCertificateError,
} from "./connection/unreachable-error.js";
import { IncompleteImportError } from "./import/incomplete-import-error.js";
import { ExitCode } from "./process/exit-code.js";
import { FailedCheckError } from "./process/failed-check-error.js";
import { InterruptedError, type InterruptSignals } from "./process/interrupt.js";
import { UsageError } from "./process/usage-error.js";

const CREDENTIAL_HINT = "Pass a key with --key or CALLTRACK_KEY, or save one with calltrack login.";

/** The exit code and error message of a failed command. */
export interface CommandFailure {
  readonly exitCode: ExitCode;
  /** The lines to write to stderr. */
  readonly text: string;
}

export interface CommandFailureContext {
  readonly interrupt: InterruptSignals;
  /** The URL of the server that the command called. */
  readonly server: string;
  /** The client certificate file, if one was used. */
  readonly cert?: string | undefined;
}

/** Converts an error thrown by a command to its error message and exit code. */
export function describeCommandFailure(error: unknown, context: CommandFailureContext): CommandFailure {
  const { stop } = context.interrupt;
  const describe = (cause: unknown) => describeCause(stop.aborted ? stop.reason : cause, context);
  if (!(error instanceof IncompleteImportError || error instanceof UnansweredRequestError)) return describe(error);
  if (error.cause === undefined) return { exitCode: ExitCode.refused, text: errorText(error.message) };
  const { exitCode, text } = describe(error.cause);
  return { exitCode, text: `${text}  ${escapeForTerminal(error.message)}\n` };
}

function describeCause(error: unknown, context: CommandFailureContext): CommandFailure {
  if (error instanceof InterruptedError) return { exitCode: error.exitCode, text: errorText("interrupted") };
  if (error instanceof FailedCheckError) return { exitCode: ExitCode.refused, text: errorText(error.message) };
  if (error instanceof UsageError) return { exitCode: ExitCode.wrongUsage, text: errorText(error.message) };
  if (error instanceof ConnectError) return describeConnectError(error, context);
  return { exitCode: ExitCode.refused, text: errorText(unexpectedText(error)) };
}

function describeConnectError(error: ConnectError, { server, cert }: CommandFailureContext): CommandFailure {
  if (!isUnreachableError(error))
    return { exitCode: ExitCode.refused, text: errorText(error.rawMessage, detailLines(error)) };
  const text = errorText(formatUnreachableError(error, server), waitLines(error) ?? unreachableHints(error, cert));
  return { exitCode: ExitCode.unreachable, text };
}

/** Formats the message as the first line, and each detail as a further, indented line. */
function errorText(message: string, details: readonly string[] = []): string {
  return [
    `error: ${escapeForTerminal(message)}`,
    ...details.map((detail) => `  ${escapeForTerminal(detail)}`),
    "",
  ].join("\n");
}

/** Returns the field violations, the metadata and the retry delay of a service error, one per line. */
function detailLines(error: ConnectError): string[] {
  return [
    ...error
      .findDetails(BadRequestSchema)
      .flatMap(({ fieldViolations }) => fieldViolations.map(({ field, description }) => `${field}: ${description}`)),
    ...error
      .findDetails(ErrorInfoSchema)
      .flatMap(({ metadata }) => Object.entries(metadata).map(([key, value]) => `${key}: ${value}`)),
    ...(waitLines(error) ?? []),
    ...(error.code === Code.Unauthenticated ? [CREDENTIAL_HINT] : []),
  ];
}

/** Returns a hint to wait; undefined if the service sent no retry delay. */
function waitLines(error: ConnectError): string[] | undefined {
  const ms = findServiceRetryDelayMs(error);
  return ms === undefined ? undefined : [`Wait ${Math.ceil(ms / 1000)} s before you retry.`];
}

function unreachableHints(error: ConnectError, cert: string | undefined): string[] {
  if (isUntrustedCertificateError(error)) return [];
  if (isConnectionLostError(error) && cert !== undefined)
    return [`The server may have rejected the client certificate ${cert}: see the log of the server.`];
  return error.code === Code.DeadlineExceeded
    ? ["Allow more time with --timeout, or check the health of the service."]
    : ["Start the service, or set its URL with --server or CALLTRACK_SERVER."];
}

function unexpectedText(error: unknown): string {
  return `unexpected error: ${error instanceof Error ? error.message : String(error)}`;
}
