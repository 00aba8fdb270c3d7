import type { IncomingHttpHeaders } from "node:http2";
import { authorityOf } from "../../runtimes/node-headers.js";
import { isPlainAuthority } from "../plain-authority.js";
import type { RpcOptions } from "../rpc-options.js";
import type { GrpcEndpoint } from "./grpc-endpoint.js";
import type { GrpcStream } from "./grpc-stream.js";

/** Takes the stream of a call; false leaves any other stream, untouched, to be served in another way. */
export type GrpcHandler = (stream: GrpcStream) => boolean;

// RFC 9113 section 7.
const INTERNAL_ERROR = 2;

/** Creates the handler of the methods at their paths. */
export function createGrpcHandler(
  endpoints: ReadonlyMap<string, GrpcEndpoint>,
  { contextValues }: Pick<RpcOptions, "contextValues">,
): GrpcHandler {
  return (stream) => {
    const endpoint = findEndpoint(endpoints, stream.headers);
    if (endpoint === undefined) return false;
    endpoint(stream, contextValues?.(stream)).catch(() => stream.reset(INTERNAL_ERROR));
    return true;
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
