import { requireScope, requireUnbound } from "@calltrack/domain";
import type { Logger } from "pino";
import { refusalOfError } from "../http-refusal.js";
import { wireErrorOf } from "../interceptors/domain-error.js";
import type { RequestHandler } from "../one-port.js";
import type { Authenticate } from "./authenticator.js";

/** Lets those alone pass to a path who may read what is of the whole service. */
export function withReadersOnly(
  path: string,
  authenticate: Authenticate,
  log: Logger,
  next: RequestHandler,
): RequestHandler {
  return (request, response) => {
    if (request.url?.split("?", 1)[0] !== path) return next(request, response);
    const admit = async () => {
      const caller = await authenticate(request.headers.authorization ?? null);
      requireScope(caller, "read");
      requireUnbound(caller);
    };
    admit().then(
      () => next(request, response),
      (thrown) => {
        const error = wireErrorOf(thrown, log);
        const { statusCode, body } = refusalOfError(error);
        response.writeHead(statusCode, { ...Object.fromEntries(error.metadata), "content-type": "application/json" });
        response.end(body);
      },
    );
  };
}
