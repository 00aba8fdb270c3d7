import type { DescMethod } from "@bufbuild/protobuf";
import { Code, ConnectError, type ContextValues, type Interceptor } from "@connectrpc/connect";
import type { MethodOptions } from "../endpoints/recorded-method.js";
import { RequestError } from "../http/request-error.js";
import { type FailureReader, failureToConnectError } from "../responses/failure.js";

/** Converts an error of an RPC to the error that the client gets. The signal contains the reason why the RPC ended. */
export type ErrorConverter = (error: unknown, values: ContextValues, signal: AbortSignal | undefined) => ConnectError;

const TIMEOUT_HEADERS = ["grpc-timeout", "connect-timeout-ms"];

/** Returns the code to report. A malformed frame is INVALID_ARGUMENT, although gRPC sends INTERNAL, because the caller caused it. */
export function outcomeOf(code: Code, error: unknown): Code {
  return error instanceof RequestError && error.reason === "FRAME_MALFORMED" ? Code.InvalidArgument : code;
}

/** Creates the error converter for a method that Connect's handlers serve. They send details only for a `ConnectError`. */
export function createErrorConverter(method: DescMethod, readFailure: FailureReader): ErrorConverter {
  return (error, values, signal) => {
    // Connect aborts the signal of a completed RPC without a reason.
    const reason = signal?.aborted && (signal.reason instanceof ConnectError ? signal.reason : createCompletionError());
    return failureToConnectError(readFailure(error, { method, values, endReason: reason || undefined }));
  };
}

/** Creates the outermost interceptor. It converts all errors, and answers at the deadline even if the implementation ignores the signal. */
export function createFailureInterceptor(
  { aroundDeadline, shutdownSignal }: MethodOptions,
  convert: ErrorConverter,
): Interceptor {
  return (next) => async (request) => {
    const { signal, contextValues } = request;
    const fail = (error: unknown) => convert(error, contextValues, signal);
    const inTime = <T>(work: Promise<T>) => settleBeforeAbort(work, signal, shutdownSignal);
    const work = () => next(request);
    const hasDeadline = TIMEOUT_HEADERS.some((name) => request.header.has(name));
    try {
      const response = await inTime(
        hasDeadline && aroundDeadline !== undefined ? aroundDeadline(signal, work) : work(),
      );
      return response.stream ? { ...response, message: sendMessages(response.message, inTime, fail) } : response;
    } catch (error) {
      throw fail(error);
    }
  };
}

/** Passes on the messages of a response. Does not wait for an implementation that ignores the signal. */
async function* sendMessages<T>(
  messages: AsyncIterable<T>,
  inTime: <R>(work: Promise<R>) => Promise<R>,
  fail: (error: unknown) => ConnectError,
): AsyncIterable<T> {
  const iterator = messages[Symbol.asyncIterator]();
  try {
    for (let next = await inTime(iterator.next()); !next.done; next = await inTime(iterator.next())) yield next.value;
  } catch (error) {
    throw fail(error);
  } finally {
    iterator.return?.().catch(() => {});
  }
}

/** Settles like the work, but rejects at the deadline or if the client disconnects. A shutdown lets the work finish. */
function settleBeforeAbort<T>(
  work: Promise<T>,
  signal: AbortSignal,
  shutdownSignal: AbortSignal | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      if (signal.reason !== shutdownSignal?.reason) reject(signal.reason);
    };
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function createCompletionError(): ConnectError {
  return new ConnectError("the call is complete", Code.Canceled);
}
