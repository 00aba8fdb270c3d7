import { type ConnectError, createContextKey, type Interceptor } from "@connectrpc/connect";
import { formatUnreachableError } from "../unreachable-error.js";

/** The context key of the error that caused the current retry; undefined for the first attempt. */
export const lastFailureContextKey = createContextKey<ConnectError | undefined>(undefined, {
  description: "last failure",
});

/** Time before the user is told about a slow request. */
export const WAIT_NOTICE_DELAY_MS = 1000;

/** Creates an interceptor that tells the user, once per command, which server a slow request waits for. */
export function createWaitNoticeInterceptor(server: string, write: (text: string) => void): Interceptor {
  let isShown = false;
  return (next) => async (request) => {
    if (isShown || request.stream) return await next(request);
    const timer = setTimeout(() => {
      if (isShown) return;
      isShown = true;
      const failure = request.contextValues.get(lastFailureContextKey);
      write(formatWaitNotice(failure, server));
    }, WAIT_NOTICE_DELAY_MS);
    try {
      return await next(request);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Says what a slow request waits for: a retry after `failure`, or the first response if there was no failure. */
export function formatWaitNotice(failure: ConnectError | undefined, server: string): string {
  if (failure === undefined) return `Waiting for ${server}: no response yet`;
  const reason = formatUnreachableError(failure, server).replace(`no response from ${server}: `, "");
  return `Waiting for ${server}: ${reason}, retrying`;
}
