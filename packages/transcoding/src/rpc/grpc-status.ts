import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { type Any, AnySchema, anyIs, anyPack } from "@bufbuild/protobuf/wkt";
import { type ConnectError, encodeBinaryHeader } from "@connectrpc/connect";
import { BadRequestSchema } from "../gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "../gen/google/rpc/status_pb.js";
import type { MutableHeaders } from "../http/http-response.js";
import { appendHeaders, textToHeaderValue } from "../http/response-headers.js";
import type { RpcFailure } from "../responses/failure.js";

/**
 * The limits of a status, because gRPC clients reject trailers of more than 8 or 16 KiB. Node cannot send trailers of 64 KiB, and then closes the
 * connection. The message is limited in its encoded form; the details before they are encoded as Base64.
 */
const MAX_MESSAGE_LENGTH = 1024;
const MAX_DETAILS_BYTES = 3072;

/**
 * Creates the trailers of a failed RPC, which contain the status, the message, the details and the metadata. Shortens a message that is too long for
 * trailers, and omits the last field violations or, failing that, the largest details.
 *
 * @param metadata the trailers that the handler and interceptors have set. Changed: the failure's headers are added.
 */
export function createGrpcFailureTrailers(failure: RpcFailure, metadata: MutableHeaders): MutableHeaders {
  const { code } = failure;
  appendHeaders(metadata, failure.headers);
  const message = shortenMessage(failure.message);
  const status = create(StatusSchema, { code, message, details: shortenDetails(failure.details.map(packDetail)) });
  return {
    "grpc-status": String(code),
    "grpc-message": encodeMessage(message),
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

/** Percent-encodes a message, because clients decode it (PROTOCOL-HTTP2, Status-Message). */
function encodeMessage(message: string): string {
  return textToHeaderValue(message.replaceAll("%", "%25"));
}

function shortenMessage(message: string): string {
  let shortened = message;
  for (let kept = message; encodeMessage(shortened).length > MAX_MESSAGE_LENGTH; shortened = `${kept}…`) {
    const share = MAX_MESSAGE_LENGTH / encodeMessage(shortened).length;
    kept = kept.slice(0, Math.floor(kept.length * share) - 1).toWellFormed();
  }
  return shortened;
}

/** Halves the number of field violations, or removes the largest detail, until the details are short enough. */
function shortenDetails(details: readonly Any[]): Any[] {
  const shortened = [...details];
  while (shortened.reduce((sum, { value }) => sum + value.length, 0) > MAX_DETAILS_BYTES) {
    const [largest = -1] = [...shortened.keys()].toSorted(
      (one, other) => (shortened[other]?.value.length ?? 0) - (shortened[one]?.value.length ?? 0),
    );
    shortened.splice(largest, 1, ...halveViolations(shortened[largest]));
  }
  return shortened;
}

/** Returns no detail unless the given one is a `google.rpc.BadRequest` with several violations. */
function halveViolations(detail: Any | undefined): readonly Any[] {
  if (detail === undefined || !anyIs(detail, BadRequestSchema)) return [];
  const { fieldViolations } = fromBinary(BadRequestSchema, detail.value);
  if (fieldViolations.length < 2) return [];
  const kept = fieldViolations.slice(0, fieldViolations.length / 2);
  return [anyPack(BadRequestSchema, create(BadRequestSchema, { fieldViolations: kept }))];
}

function packDetail(detail: ConnectError["details"][number]): Any {
  return "desc" in detail
    ? anyPack(detail.desc, create(detail.desc, detail.value))
    : create(AnySchema, { typeUrl: `type.googleapis.com/${detail.type}`, value: detail.value });
}
