import { create, toBinary } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { type ConnectError, encodeBinaryHeader } from "@connectrpc/connect";
import { StatusSchema } from "../gen/google/rpc/status_pb.js";
import type { MutableHeaders } from "../http/http-response.js";
import { appendHeaders, textToHeaderValue } from "../http/response-headers.js";
import type { Failure } from "../responses/failure.js";

/**
 * Creates the trailers of a failed RPC: its status, message, details and metadata.
 *
 * @param metadata the trailers set by the handler or interceptors.
 */
export function createFailureTrailers(failure: Failure, metadata: MutableHeaders): MutableHeaders {
  const { code, message, details } = failure;
  appendHeaders(metadata, failure.headers);
  const status = create(StatusSchema, { code, message, details: details.map(packDetail) });
  return {
    "grpc-status": String(code),
    // Clients percent-decode the message (PROTOCOL-HTTP2, Status-Message).
    "grpc-message": textToHeaderValue(message.replaceAll("%", "%25")),
    "grpc-status-details-bin": encodeBinaryHeader(toBinary(StatusSchema, status)),
    ...removeProtocolHeaders(metadata),
  };
}

/** Removes the headers or trailers that the gRPC protocol defines, because handlers must not set them. */
export function removeProtocolHeaders(headers: MutableHeaders): MutableHeaders {
  const kept: MutableHeaders = {};
  for (const name in headers) {
    if (name !== "content-type" && !name.startsWith("grpc-")) kept[name] = headers[name] as string | string[];
  }
  return kept;
}

function packDetail(detail: ConnectError["details"][number]) {
  return "desc" in detail
    ? anyPack(detail.desc, create(detail.desc, detail.value))
    : { typeUrl: `type.googleapis.com/${detail.type}`, value: detail.value };
}
