import { type Caller, requireScope, requireUnbound } from "@calltrack/domain";
import type { NodeRequest } from "@calltrack/transcoding/node";
import type { Logger } from "pino";
import { wireErrorOf } from "../errors/domain-error.js";
import { refusalOfError } from "../errors/http-refusal.js";
import type { RequestHandler } from "../http/request-handler.js";
import { recordOf } from "../observability/requests/request-record.js";

/** Lets those alone pass to a path who may read what is of the whole service. */
export function withReadersOnly(
  path: string,
  identify: (request: NodeRequest) => Caller | Promise<Caller>,
  log: Logger,
  next: RequestHandler,
): RequestHandler {
  return (request, response) => {
    if (request.url?.split("?", 1)[0] !== path) return next(request, response);
    const admit = async () => {
      const caller = await identify(request);
      requireScope(caller, "read");
      requireUnbound(caller);
    };
    admit().then(
      () => next(request, response),
      (thrown) => {
        // The deadline may have passed, and been answered.
        if (response.headersSent) return;
        const error = wireErrorOf(thrown, log, recordOf(request));
        const { statusCode, body } = refusalOfError(error);
        response.writeHead(statusCode, { ...Object.fromEntries(error.metadata), "content-type": "application/json" });
        response.end(body);
      },
    );
  };
}
