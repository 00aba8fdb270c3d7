import type { IncomingMessage, ServerResponse } from "node:http";
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { ContextValues } from "@connectrpc/connect";
import type { ContentCoding } from "../http/content-coding.js";
import type { HttpHandler, HttpRoute } from "../http/http-handler.js";
import { Http1Request } from "./http1-request.js";
import { Http2Request } from "./http2-request.js";
import { createNodeContentCodings } from "./node-content-coding.js";
import type { NodeRequest, RequestConnection } from "./node-request.js";

/** A request listener for the servers of `node:http` and `node:https`. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** A listener for the event `stream` of `node:http2` servers. */
export type NodeStreamHandler = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  flags: number,
  rawHeaders: string[],
) => void;

export interface NodeHandlerOptions<F = NodeHandler> {
  /** Creates the context values of a request that the handler serves. */
  readonly contextValues?: (request: NodeRequest) => ContextValues;
  /** Serves requests for paths that the handler does not serve. The handler does not read from such requests. Default: responds with 404. */
  readonly fallback?: F;
  /** The supported content codings, the preferred one first. Default: those of `createNodeContentCodings`. */
  readonly codings?: readonly ContentCoding[];
}

/** Creates a request listener that serves a transcoder or an RPC handler over HTTP/1.1. Frameworks must not rewrite `req.url`, the request target. */
export function createNodeHandler(handler: HttpHandler, options: NodeHandlerOptions = {}): NodeHandler {
  const { fallback } = options;
  return (request, response) => {
    const { method = "", url: target = "", httpVersionMajor } = request;
    // Node also parses a request line with another version, such as HTTP/2.0.
    if (httpVersionMajor !== 1 && !("stream" in request)) {
      response.writeHead(505, { connection: "close" }).end();
      return;
    }
    const route = handler.route({ method, target });
    if (fallback !== undefined && !route?.isMatched) return fallback(request, response);
    serve(new Http1Request(request, response, createConnection(request.socket, options)), route, options);
  };
}

/** Creates a listener that serves a transcoder or an RPC handler over HTTP/2. Use it as `server.on("stream", listener)`. */
export function createNodeStreamHandler(
  handler: HttpHandler,
  options: NodeHandlerOptions<NodeStreamHandler> = {},
): NodeStreamHandler {
  const { fallback } = options;
  return (stream, headers, flags, rawHeaders) => {
    if (!("respond" in stream)) throw new TypeError(NOT_A_STREAM);
    const route = handler.route({ method: headers[":method"] ?? "", target: headers[":path"] ?? "" });
    if (fallback !== undefined && !route?.isMatched) return fallback(stream, headers, flags, rawHeaders);
    const socket = stream.session?.socket;
    if (socket === undefined) return;
    const connection = createConnection(socket as Socket, options);
    serve(new Http2Request(stream, headers, flags, rawHeaders, connection), route, options);
  };
}

const NOT_A_STREAM =
  "createNodeStreamHandler serves HTTP/2 streams: serve node:http and node:https with createNodeHandler(handler)";

function serve(
  request: NodeRequest,
  route: HttpRoute | undefined,
  { contextValues }: Pick<NodeHandlerOptions, "contextValues">,
): void {
  if (route === undefined) {
    request.respond(404, {});
    return;
  }
  request.contextValues = contextValues?.(request);
  route
    .handle(request)
    .then((response) => request.send(response))
    .catch((error) => request.fail(error));
}

const DEFAULT_CODINGS = createNodeContentCodings();

function createConnection(
  socket: Socket,
  { codings = DEFAULT_CODINGS }: Pick<NodeHandlerOptions, "codings">,
): RequestConnection {
  return {
    peer: {
      address: socket.remoteAddress ?? "",
      port: socket.remotePort,
      isEncrypted: (socket as Partial<TLSSocket>).encrypted === true,
      certificateName: undefined,
    },
    codings,
    onError(request) {
      if (request.isOver) return;
      if (request.hasResponded) request.abort();
      else request.respond(500, {});
    },
  };
}
