import { DomainError } from "@calltrack/domain";
import { runWithDeadline } from "@calltrack/postgres";
import type { Interceptor } from "@connectrpc/connect";

const TIMEOUT_HEADERS = ["grpc-timeout", "connect-timeout-ms"];

/**
 * Responds at the client's deadline and passes the deadline to SQL statements. Connect only aborts the call's signal at the
 * deadline, and waits for the implementation.
 */
export const deadlineInterceptor: Interceptor = (next) => (request) => {
  if (!TIMEOUT_HEADERS.some((name) => request.header.has(name))) return next(request);
  const { signal } = request;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new DomainError("DEADLINE_EXCEEDED", {}, { cause: signal.reason }));
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    runWithDeadline(signal, () => next(request))
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", onAbort));
  });
};
