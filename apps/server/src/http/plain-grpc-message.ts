import type { OutgoingHttpHeader } from "node:http";
import type { NodeResponse } from "@calltrack/http";
import { textToHeaderValue } from "@calltrack/transcoding";

/**
 * Makes a response encode the messages of gRPC errors as the protocol requires (PROTOCOL-HTTP2, Status-Message). Connect also
 * percent-encodes all reserved characters, such as commas and colons, which `@grpc/grpc-js` does not decode.
 */
export function sendPlainGrpcMessages(response: NodeResponse): void {
  const addTrailers = response.addTrailers.bind(response);
  response.addTrailers = (trailers: Record<string, OutgoingHttpHeader>) => {
    const message = trailers["grpc-message"];
    if (typeof message !== "string") return addTrailers(trailers as never);
    const plain = textToHeaderValue(decodeURIComponent(message).replaceAll("%", "%25"));
    return addTrailers({ ...trailers, "grpc-message": plain } as never);
  };
}
