import { BadRequestSchema, ErrorInfoSchema } from "@calltrack/domain/gen/google/rpc/error_details_pb";
import { Code, ConnectError } from "@connectrpc/connect";
import { ExitCode } from "./exit-code.js";
import { IncompleteImportError } from "./import/incomplete-import-error.js";
import { type Interrupt, InterruptedError } from "./interrupt.js";
import { visibleText } from "./output/visible-text.js";
import { askedDelay } from "./retry/retry-delay.js";
import { UnansweredError } from "./unanswered-error.js";
import { isDistrusted, isUnreachable, unreachableText, wasLost } from "./unreachable.js";
import { UsageError } from "./usage-error.js";

/** How a failed command ends. */
export interface Failure {
  readonly exitCode: ExitCode;
  /** What to write to stderr. */
  readonly text: string;
}

/** Where and how the failed command ran. */
export interface FailureContext {
  readonly interrupt: Interrupt;
  /** The URL of the server that requests went to. */
  readonly server: string;
  /** The file of the client certificate that they went with. */
  readonly cert?: string | undefined;
}

/** Turns whatever a command threw into what the user is told and what the process exits with. */
export function describeFailure(error: unknown, context: FailureContext): Failure {
  const { stop } = context.interrupt;
  const describe = (cause: unknown) => describeCause(stop.aborted ? stop.reason : cause, context);
  if (!(error instanceof IncompleteImportError || error instanceof UnansweredError)) return describe(error);
  if (error.cause === undefined) return { exitCode: ExitCode.refused, text: errorText(error.message) };
  const { exitCode, text } = describe(error.cause);
  return { exitCode, text: `${text}  ${visibleText(error.message)}\n` };
}

function describeCause(error: unknown, context: FailureContext): Failure {
  if (error instanceof InterruptedError) return { exitCode: error.exitCode, text: errorText("interrupted") };
  if (error instanceof UsageError) return { exitCode: ExitCode.wrongUsage, text: errorText(error.message) };
  if (error instanceof ConnectError) return describeConnectError(error, context);
  return { exitCode: ExitCode.refused, text: errorText(unexpectedText(error)) };
}

function describeConnectError(error: ConnectError, { server, cert }: FailureContext): Failure {
  if (!isUnreachable(error))
    return { exitCode: ExitCode.refused, text: errorText(error.rawMessage, detailLines(error)) };
  const text = errorText(unreachableText(error, server), waitLines(error) ?? unreachableHints(error, cert));
  return { exitCode: ExitCode.unreachable, text };
}

/** One line for the error, and one for each of its details. */
function errorText(message: string, details: readonly string[] = []): string {
  return [`error: ${visibleText(message)}`, ...details.map((detail) => `  ${visibleText(detail)}`), ""].join("\n");
}

/** What the service says about the single fields of a request that it refused, and the facts it adds. */
function detailLines(error: ConnectError): string[] {
  return [
    ...error
      .findDetails(BadRequestSchema)
      .flatMap(({ fieldViolations }) => fieldViolations.map(({ field, description }) => `${field}: ${description}`)),
    ...error
      .findDetails(ErrorInfoSchema)
      .flatMap(({ metadata }) => Object.entries(metadata).map(([key, value]) => `${key}: ${value}`)),
    ...(waitLines(error) ?? []),
  ];
}

/** How long the service asks to be left alone; undefined if it does not. */
function waitLines(error: ConnectError): string[] | undefined {
  const ms = askedDelay(error);
  return ms === undefined ? undefined : [`It asks to wait ${Math.ceil(ms / 1000)} s before the next try.`];
}

function unreachableHints(error: ConnectError, cert: string | undefined): string[] {
  if (isDistrusted(error)) return [];
  if (wasLost(error) && cert !== undefined)
    return [`It may not take the client certificate ${cert}: its log says why.`];
  return error.code === Code.DeadlineExceeded
    ? ["Give it more time with --timeout, or see whether the service is well."]
    : ["Start the service, or name it with --server or CALLTRACK_SERVER."];
}

function unexpectedText(error: unknown): string {
  return `this should not have happened: ${error instanceof Error ? error.message : String(error)}`;
}
