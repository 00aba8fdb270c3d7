import type { OutgoingHttpHeader } from "node:http";
import type { RequestHandler } from "../request-handler.js";

const GRPC = /^application\/grpc(?:$|[+;])/;

/** All that gRPC has percent-encoded: what is not printable ASCII, and the percent sign. */
const ENCODED = /[^\x20-\x24\x26-\x7e]+/g;

/**
 * Sends the messages of gRPC errors as the gRPC protocol has them (PROTOCOL-HTTP2, Status-Message). Connect percent-encodes
 * all reserved characters too, commas and colons among them, and `@grpc/grpc-js` undoes that for none of them.
 */
export function withPlainGrpcMessages(handler: RequestHandler): RequestHandler {
  return (request, response) => {
    if (GRPC.test(request.headers["content-type"] ?? "")) {
      const addTrailers = response.addTrailers.bind(response);
      response.addTrailers = (trailers: Record<string, OutgoingHttpHeader>) => addTrailers(withPlainMessage(trailers));
    }
    handler(request, response);
  };
}

function withPlainMessage(trailers: Record<string, OutgoingHttpHeader>): Record<string, OutgoingHttpHeader> {
  const message = trailers["grpc-message"];
  if (typeof message !== "string") return trailers;
  return { ...trailers, "grpc-message": decodeURIComponent(message).replace(ENCODED, encodeURIComponent) };
}
