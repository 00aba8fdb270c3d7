import { Code, ConnectError, type ContextValues, type HandlerContext, type Interceptor } from "@connectrpc/connect";
import { createDeadlineError } from "../calls/call-context.js";
import type { DeadlineWrapper, RecordedMethod, RequestGate } from "../calls/recorded-method.js";
import { RequestError } from "../http/request-error.js";
import { type Failure, type FailureReader, failureToConnectError } from "../responses/failure.js";
import { createMalformedProtoError } from "./proto-message.js";

/** Called with the code of a failed call before the failure is sent, or with undefined when the implementation returns. */
export type OutcomeListener = (values: ContextValues, code: Code | undefined) => void;

/** A context with an undocumented method, which Connect's handlers call with the error of a call before sending it. */
interface Abortable {
  abort(reason?: unknown): void;
}

const BAD_TIMEOUT = /^protocol error: invalid \w+ timeout value/;
const BAD_BINARY = /^parse binary: /;
const TIMEOUT_HEADERS = ["grpc-timeout", "connect-timeout-ms"];
/** The maximum length of messages. Connect quotes names and values of the request, which can be as long as its body. */
const MAX_MESSAGE_LENGTH = 300;

/**
 * Creates the first interceptor and the gate of Connect's handler of a method, so that its failures have the same form as all
 * others. Without them:
 *
 * - A request that cannot be decoded is `INTERNAL`.
 * - Errors have no details.
 * - A call whose error message has an unpaired surrogate is never answered.
 * - A deadline is answered only when the implementation returns.
 */
export function createFailureCorrections(
  { spec, options }: RecordedMethod,
  readFailure: FailureReader,
  onOutcome: OutcomeListener | undefined,
): { readonly interceptor: Interceptor; readonly requestGate: RequestGate } {
  const { typeName } = spec.method.input;
  const readBadRequest = (error: unknown) =>
    readFailure(errorOfBadRequest(error, typeName, options.readMaxBytes), undefined);
  /** Calls that reached the interceptors or were rejected by the gate. Their later errors are not decoding errors. */
  const passed = new WeakSet<ContextValues>();
  return {
    interceptor: (next) => async (request) => {
      const { contextValues } = request;
      passed.add(contextValues);
      const corrected = request.stream
        ? {
            ...request,
            message: correctErrors(request.message, (error) => failureToConnectError(readBadRequest(error))),
          }
        : request;
      const response = TIMEOUT_HEADERS.some((name) => request.header.has(name))
        ? await raceDeadline(request.signal, options.aroundDeadline, () => next(corrected))
        : await next(corrected);
      onOutcome?.(contextValues, undefined);
      return response;
    },
    async requestGate(context) {
      onAbort(context, (reason) => {
        const failure = passed.has(context.values) ? readFailure(reason, undefined) : readBadRequest(reason);
        onOutcome?.(context.values, failure.code);
        setFailure(reason, failure);
      });
      try {
        await options.requestGate?.(context);
      } catch (error) {
        passed.add(context.values);
        throw error;
      }
    },
  };
}

/** Settles like the work, but rejects at the deadline or if the client disconnects. Connect only aborts the signal. */
function raceDeadline<T>(
  signal: AbortSignal,
  aroundDeadline: DeadlineWrapper | undefined,
  work: () => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const isExpired = () => signal.reason instanceof ConnectError && signal.reason.code === Code.DeadlineExceeded;
    const onAbort = () => reject(isExpired() ? createDeadlineError() : signal.reason);
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    (aroundDeadline === undefined ? work() : aroundDeadline(signal, work))
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/** Calls the listener with the error of a call before the error is sent. */
function onAbort(context: HandlerContext, listener: (reason: Error) => void): void {
  const abortable = context as HandlerContext & Abortable;
  const { abort } = abortable;
  abortable.abort = (reason) => {
    if (reason instanceof Error) listener(reason);
    abort(reason);
  };
}

/** Replaces the error of an iteration. */
export async function* correctErrors<T>(
  items: AsyncIterable<T>,
  correct: (error: unknown) => unknown,
): AsyncIterable<T> {
  try {
    yield* items;
  } catch (error) {
    throw correct(error);
  }
}

/** Translates the error of a request that Connect could not read. */
function errorOfBadRequest(error: unknown, typeName: string, maxBytes: number): unknown {
  // Connect's own errors have no details, so this one comes from a size limit or a content coding.
  if (error instanceof ConnectError && error.details.length > 0) return error;
  const { code, rawMessage } =
    error instanceof ConnectError ? error : new ConnectError("the message cannot be decoded", Code.InvalidArgument);
  switch (code) {
    case Code.ResourceExhausted:
      return new RequestError("BODY_TOO_LARGE", `the message must be at most ${maxBytes} bytes`);
    case Code.InvalidArgument:
    case Code.Internal:
    case Code.Unknown:
      if (BAD_BINARY.test(rawMessage)) return createMalformedProtoError(typeName);
      return new RequestError(
        BAD_TIMEOUT.test(rawMessage) ? "HEADER_MALFORMED" : "BODY_MALFORMED",
        shorten(rawMessage),
      );
    default:
      // The client disconnected, its deadline passed, or it asks for an unknown encoding.
      return error;
  }
}

function shorten(text: string): string {
  return text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH)}…` : text;
}

/** Turns an error into a ConnectError in place. Connect recognises a ConnectError by its properties. */
function setFailure(error: Error, { code, message, details }: Failure): void {
  const { metadata = new Headers(), cause } = error as Partial<ConnectError>;
  const properties = { name: "ConnectError", code, rawMessage: message, details, metadata, cause };
  for (const [name, value] of Object.entries(properties)) {
    Object.defineProperty(error, name, { value, configurable: true, writable: true });
  }
}
