import type { Http2SecureServer, Http2Server, IncomingHttpHeaders } from "node:http2";
import { authorityOf } from "../../runtimes/node-headers.js";
import { isPlainAuthority } from "../plain-authority.js";
import type { RpcOptions } from "../rpc-options.js";
import type { GrpcEndpoint } from "./grpc-endpoint.js";

/** Takes the calls among the streams of a server; the others go to the listeners that the server has had so far. */
export type GrpcHandler = (server: Http2Server | Http2SecureServer) => void;

// RFC 9113 section 7.
const INTERNAL_ERROR = 2;

/** Creates the handler of the methods at their paths. */
export function createGrpcHandler(
  endpoints: ReadonlyMap<string, GrpcEndpoint>,
  { contextValues }: Pick<RpcOptions, "contextValues">,
): GrpcHandler {
  return (server) => {
    const others = server.listeners("stream");
    server.removeAllListeners("stream");
    server.on("stream", (stream, headers, ...rest) => {
      const endpoint = findEndpoint(endpoints, headers);
      if (endpoint === undefined) {
        for (const listener of others) listener.call(server, stream, headers, ...rest);
        return;
      }
      // What fails of a stream is that its client has gone away.
      stream.on("error", () => {});
      endpoint(stream, headers, contextValues?.(stream)).catch(() => stream.close(INTERNAL_ERROR));
    });
  };
}

/** The endpoint of a call that has plain protobuf in it, of which nothing is compressed; undefined for every other request. */
function findEndpoint(
  endpoints: ReadonlyMap<string, GrpcEndpoint>,
  headers: IncomingHttpHeaders,
): GrpcEndpoint | undefined {
  const type = headers["content-type"];
  if (type !== "application/grpc" && type !== "application/grpc+proto") return undefined;
  const encoding = headers["grpc-encoding"];
  const isPlain =
    headers[":method"] === "POST" &&
    (encoding === undefined || encoding === "identity") &&
    isPlainAuthority(authorityOf(headers));
  return isPlain ? endpoints.get(headers[":path"] ?? "") : undefined;
}
