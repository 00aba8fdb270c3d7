import type { DescMethod } from "@bufbuild/protobuf";
import { Code, ConnectError, type ContextValues, type Interceptor } from "@connectrpc/connect";
import type { MethodOptions } from "../endpoints/registered-method.js";
import { RequestError } from "../http/request-error.js";
import { type FailureConverter, failureToConnectError } from "../responses/failure.js";

/** Converts an error in an RPC to the error that the client gets. The reason of the aborted `signal` is why the RPC ended. */
export type ConnectErrorConverter = (
  error: unknown,
  values: ContextValues,
  signal: AbortSignal | undefined,
) => ConnectError;

const TIMEOUT_HEADERS = ["grpc-timeout", "connect-timeout-ms"];

/**
 * Returns the code to report as an RPC's outcome: INVALID_ARGUMENT for a malformed frame, which is the client's fault, although gRPC sends INTERNAL.
 */
export function toReportedCode(code: Code, error: unknown): Code {
  return error instanceof RequestError && error.reason === "FRAME_MALFORMED" ? Code.InvalidArgument : code;
}

/** Creates the error converter for a method that Connect's handlers serve. These handlers send details only for a `ConnectError`. */
export function createConnectErrorConverter(method: DescMethod, readFailure: FailureConverter): ConnectErrorConverter {
  return (error, values, signal) => {
    // When an RPC is complete, Connect aborts the signal without a reason.
    const reason = signal?.aborted && (signal.reason instanceof ConnectError ? signal.reason : createCompletionError());
    return failureToConnectError(readFailure(error, { method, values, endReason: reason || undefined }));
  };
}

/** Creates the outermost interceptor. It converts all errors, and responds at the deadline even if the implementation ignores the signal. */
export function createFailureInterceptor(
  { aroundDeadline, shutdownSignal }: MethodOptions,
  convert: ConnectErrorConverter,
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

/** Yields the messages of a response. At the deadline, does not wait for an implementation that ignores the signal. */
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

/** Settles like `work`, but rejects at the deadline and when the client disconnects. At shutdown, the work can still finish. */
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
