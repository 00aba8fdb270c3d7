import type { NodeExchange } from "@calltrack/http";
import type { ContentCoding, HttpHandler } from "@calltrack/transcoding";
import { createNodeHandler } from "@calltrack/transcoding/node";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { type ConnectNodeAdapterOptions, connectNodeAdapter } from "@connectrpc/connect-node";
import { findRecord, type RequestRecord, recordOutcome, setRecord } from "../observability/requests/request-record.js";
import { deadlineInterceptor } from "./node-deadline.js";
import type { RecordHandler } from "./observe-exchanges.js";
import { sendPlainGrpcMessages } from "./plain-grpc-message.js";

/** Options of the RPCs; see `ConnectNodeAdapterOptions`. */
export type NodeApiOptions = Pick<ConnectNodeAdapterOptions, "routes" | "requestGate" | "readMaxBytes"> & {
  readonly interceptors: readonly Interceptor[];
  /** Prefix at which RPCs are served too, besides the root; empty for none. */
  readonly basePath: string;
};

/**
 * Creates the handler of the API for exchanges of Node's own servers: Connect's `connectNodeAdapter` for RPCs, with the JSON paths
 * as its fallback.
 *
 * @param json serves the JSON paths; unknown ones with 404.
 */
export function createNodeApiHandler(
  { interceptors, basePath, ...options }: NodeApiOptions,
  json: HttpHandler,
  codings: readonly ContentCoding[],
): RecordHandler {
  const contextValues = (request: object) => findRecord(request) as RequestRecord;
  const serveRpcs = (requestPathPrefix: string, fallback: NonNullable<ConnectNodeAdapterOptions["fallback"]>) =>
    connectNodeAdapter({
      ...options,
      requestPathPrefix,
      interceptors: [outcomeInterceptor, ...interceptors, deadlineInterceptor],
      // Rejects misspelled fields, as all other protocols do.
      jsonOptions: { ignoreUnknownFields: false },
      contextValues,
      fallback,
    });
  const atRoot = serveRpcs("", createNodeHandler(json, { contextValues, codings }));
  const handle = basePath === "" ? atRoot : serveRpcs(basePath, atRoot);
  return (record) => {
    const { request, response } = record.exchange as NodeExchange;
    setRecord(request, record);
    // HTTP/1.0 and HTTP/2 allow requests without a host, for which Connect's adapter throws.
    request.headers.host ??= "localhost";
    sendPlainGrpcMessages(response);
    handle(request, response);
  };
}

/** Records the outcome of a call, because the HTTP status of an RPC does not show it. */
const outcomeInterceptor: Interceptor = (next) => async (request) => {
  try {
    const response = await next(request);
    recordOutcome(request.contextValues, undefined);
    return response;
  } catch (error) {
    recordOutcome(request.contextValues, error instanceof ConnectError ? error.code : Code.Internal);
    throw error;
  }
};
