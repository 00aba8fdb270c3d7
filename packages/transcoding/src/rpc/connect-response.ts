import type { UniversalServerResponse } from "@connectrpc/connect/protocol";
import { HOP_BY_HOP } from "../http/hop-by-hop.js";
import type { HttpHeaders, HttpResponse, MutableHeaders } from "../http/http-response.js";
import { appendHeader } from "../http/response-headers.js";
import { createStartedBody } from "../http/started-body.js";
import { encodeGrpcMessage } from "./grpc-status.js";

/**
 * Reads a response of Connect's handlers. Resolves with the first bytes of the body, because an implementation can set headers
 * until then.
 *
 * @param onFailure called with the error of a body that fails.
 */
export async function readConnectResponse(
  { status, header, body, trailer }: UniversalServerResponse,
  isGrpc: boolean,
  onFailure: (error: unknown) => void,
): Promise<HttpResponse> {
  const chunks = body?.[Symbol.asyncIterator]();
  const first = await chunks?.next();
  const readHeaders = isGrpc ? readGrpcHeaders : readAllHeaders;
  return {
    status,
    headers: readHeaders(header),
    body: chunks && first && createBody(chunks, first, onFailure),
    trailers: trailer && (() => readHeaders(trailer)),
    matched: true,
  };
}

function readAllHeaders(header: Headers | undefined): MutableHeaders {
  const headers: MutableHeaders = {};
  for (const [name, value] of header ?? []) {
    // The server sets the headers about framing.
    if (name !== "content-length" && !HOP_BY_HOP.has(name)) appendHeader(headers, name, value);
  }
  return headers;
}

/**
 * Reads the headers or trailers of gRPC, and encodes the message as the protocol requires. Connect also percent-encodes all
 * reserved characters, such as commas and colons, which `@grpc/grpc-js` does not decode.
 */
function readGrpcHeaders(header: Headers | undefined): HttpHeaders {
  const headers = readAllHeaders(header);
  const message = headers["grpc-message"];
  if (typeof message === "string") headers["grpc-message"] = encodeGrpcMessage(decodeURIComponent(message));
  return headers;
}

/** Creates the body from its first chunk and the others. */
function createBody(
  chunks: AsyncIterator<Uint8Array>,
  first: IteratorResult<Uint8Array>,
  onFailure: (error: unknown) => void,
): AsyncIterable<Uint8Array> {
  const next = async () => {
    try {
      return await chunks.next();
    } catch (error) {
      onFailure(error);
      throw error;
    }
  };
  return createStartedBody(first, next, () => {
    chunks.return?.().catch(() => {});
  });
}
