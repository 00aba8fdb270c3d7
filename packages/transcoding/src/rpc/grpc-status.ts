import { create, toBinary } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { type ConnectError, encodeBinaryHeader } from "@connectrpc/connect";
import { StatusSchema } from "../gen/google/rpc/status_pb.js";
import type { MutableHeaders } from "../http/http-response.js";
import { appendHeaders } from "../http/response-headers.js";
import type { Failure } from "../responses/failure.js";

/** What the gRPC protocol percent-encodes in a message: everything but printable ASCII, and the percent sign (PROTOCOL-HTTP2, Status-Message). */
const ENCODED = /[^\x20-\x24\x26-\x7e]+/g;

/**
 * The trailers of a call that failed: its status, message and details, and its metadata.
 *
 * @param metadata trailers that were set before.
 */
export function createFailureTrailers(failure: Failure, metadata: MutableHeaders): MutableHeaders {
  const { code, message, details } = failure;
  appendHeaders(metadata, failure.headers);
  const status = create(StatusSchema, { code, message, details: details.map(packDetail) });
  return {
    "grpc-status": String(code),
    "grpc-message": encodeGrpcMessage(message),
    "grpc-status-details-bin": encodeBinaryHeader(toBinary(StatusSchema, status)),
    ...withoutProtocolHeaders(metadata),
  };
}

/** A message as the `grpc-message` header has it. */
export function encodeGrpcMessage(message: string): string {
  return message.replace(ENCODED, encodeURIComponent);
}

/** The headers or trailers that a handler may set: not those in which gRPC describes the message and the call. */
export function withoutProtocolHeaders(headers: MutableHeaders): MutableHeaders {
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
