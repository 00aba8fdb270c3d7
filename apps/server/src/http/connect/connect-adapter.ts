import { DomainError } from "@calltrack/domain";
import { cutNodeResponse, isNodeRequestGone } from "@calltrack/transcoding/node";
import { createConnectFailures } from "@calltrack/transcoding/rpc";
import {
  type Code,
  type ConnectRouter,
  type ConnectRouterOptions,
  type ContextValues,
  createConnectRouter,
} from "@connectrpc/connect";
import { universalRequestFromNodeRequest, universalResponseToNodeResponse } from "@connectrpc/connect-node";
import type { Logger } from "pino";
import { maxBodyBytesOf } from "../../access/body-limits.js";
import { connectErrorOf, ERROR_DOMAIN } from "../../errors/domain-error.js";
import { EarlyRefusal } from "../../errors/early-refusal.js";
import { requestFields } from "../../observability/requests/request-log.js";
import { recordOf, recordOfCall } from "../../observability/requests/request-record.js";
import type { RequestSource } from "../../observability/requests/request-source.js";
import type { RequestHandler } from "../request-handler.js";
import { dropLongTimeouts } from "./long-timeouts.js";

/** Options of the adapter, a subset of those of `connectNodeAdapter`. */
export interface ConnectAdapterOptions
  extends Pick<ConnectRouterOptions, "acceptCompression" | "interceptors" | "jsonOptions" | "requestGate"> {
  readonly routes: (router: ConnectRouter) => void;
  readonly readMaxBytes: number;
  readonly contextValues: (source: RequestSource) => ContextValues;
  readonly fallback: RequestHandler;
}

/** The answer to requests that a library failed to answer. */
const INTERNAL = new EarlyRefusal(connectErrorOf(new DomainError("INTERNAL", {})));

/**
 * Serves Connect's own handlers, as `connectNodeAdapter` does. If a handler fails to write its answer, this adapter ends the request,
 * while `connectNodeAdapter` writes to the console and leaves the request open.
 */
export function createConnectAdapter(options: ConnectAdapterOptions, log: Logger): RequestHandler {
  const { routes, interceptors = [], jsonOptions, readMaxBytes, contextValues, fallback } = options;
  const failures = createConnectFailures({
    ...(options.requestGate && { requestGate: options.requestGate }),
    readMaxBytes: (method) => maxBodyBytesOf(method, readMaxBytes),
    errorDomain: ERROR_DOMAIN,
    onFailure: noteFailure,
  });
  const router = createConnectRouter({
    interceptors: [failures.interceptor, ...interceptors],
    requestGate: failures.requestGate,
    ...(options.acceptCompression && { acceptCompression: options.acceptCompression }),
    readMaxBytes,
    ...(jsonOptions && { jsonOptions }),
  });
  routes(router);
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
  return (request, response) => {
    const { url = "" } = request;
    const mark = url.indexOf("?");
    const handler = handlers.get(mark === -1 ? url : url.slice(0, mark));
    if (handler === undefined) return fallback(request, response);
    const received = universalRequestFromNodeRequest(request, response, undefined, contextValues(request));
    dropLongTimeouts(received.header);
    handler(received)
      .then((answer) => universalResponseToNodeResponse(answer, response))
      .catch((error: unknown) => {
        if (isNodeRequestGone(request, response)) return;
        log.error({ ...requestFields(recordOf(request)), err: error }, "the answer could not be written");
        if (response.headersSent) cutNodeResponse(request, response);
        else INTERNAL.answerRequest(request, response);
      });
  };
}

/** Records the code of a failed call, unless the server recorded a failure of its own before. */
function noteFailure(values: ContextValues, code: Code): void {
  const record = recordOfCall(values);
  if (record !== undefined) record.failure ??= code;
}
