import { create, toBinary } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { type ConnectError, encodeBinaryHeader } from "@connectrpc/connect";
import { StatusSchema } from "../gen/google/rpc/status_pb.js";
import type { MutableHeaders } from "../http/http-response.js";
import { appendHeaders, textToHeaderValue } from "../http/response-headers.js";
import type { RpcFailure } from "../responses/failure.js";

/**
 * Creates the trailers of a failed RPC, which contain the status, the message, the details and the metadata.
 *
 * @param metadata the trailers that the handler and interceptors have set. Changed: the failure's headers are added.
 */
export function createGrpcFailureTrailers(failure: RpcFailure, metadata: MutableHeaders): MutableHeaders {
  const { code, message, details } = failure;
  appendHeaders(metadata, failure.headers);
  const status = create(StatusSchema, { code, message, details: details.map(packDetail) });
  return {
    "grpc-status": String(code),
    // Percent-encoded, because clients decode the message (PROTOCOL-HTTP2, Status-Message).
    "grpc-message": textToHeaderValue(message.replaceAll("%", "%25")),
    "grpc-status-details-bin": encodeBinaryHeader(toBinary(StatusSchema, status)),
    ...removeGrpcHeaders(metadata),
  };
}

/** Returns headers or trailers without those that the gRPC protocol defines, which handlers must not set. */
export function removeGrpcHeaders(headers: MutableHeaders): MutableHeaders {
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
