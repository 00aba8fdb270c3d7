import { type ConnectError, createContextKey, type Interceptor } from "@connectrpc/connect";
import { unreachableText } from "../unreachable.js";

/** Why a request is being sent again; undefined as long as it is sent for the first time. */
export const lastFailureKey = createContextKey<ConnectError | undefined>(undefined, { description: "last failure" });

/** How long a request may take before the user is told what it waits for, in milliseconds. */
const SILENCE_MS = 1000;

/** Says, once a command, what a request waits for that takes long. */
export function createWaitNotice(server: string, write: (text: string) => void): Interceptor {
  let isSaid = false;
  return (next) => async (request) => {
    if (isSaid || request.stream) return await next(request);
    const timer = setTimeout(() => {
      if (isSaid) return;
      isSaid = true;
      const failure = request.contextValues.get(lastFailureKey);
      write(`Waiting for ${server}: ${failure === undefined ? "no answer yet" : retryText(failure, server)}`);
    }, SILENCE_MS);
    try {
      return await next(request);
    } finally {
      clearTimeout(timer);
    }
  };
}

function retryText(failure: ConnectError, server: string): string {
  return `${unreachableText(failure, server).replace(`no answer from ${server}: `, "")}, retrying`;
}
