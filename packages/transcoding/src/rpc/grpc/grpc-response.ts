import type { CallContext } from "../../calls/call-context.js";
import { createResponseHeaders, createTrailers } from "../../calls/context-headers.js";
import type { Failure } from "../../responses/failure.js";
import { appendHeaders } from "../../responses/response-headers.js";
import type { ResponseHeaders } from "../../transcoder-response.js";
import { frameGrpcMessage } from "./grpc-message.js";
import { createStatusFields } from "./grpc-status.js";
import type { GrpcReceiver, GrpcStream } from "./grpc-stream.js";

const HEADERS = Object.freeze([":status", "200", "content-type", "application/grpc+proto"]);
const OK = Object.freeze(["grpc-status", "0"]);
const NOTHING = new Uint8Array();
const NOBODY: GrpcReceiver = { onData() {}, onEnd() {}, onClose() {} };

/** Sends the message of a call, then its trailers. */
export function sendGrpcMessage(stream: GrpcStream, message: Uint8Array, context: CallContext): void {
  if (stream.isClosed) return;
  const { touchedHeader, touchedTrailer, responseFields } = context;
  // Lists that are the same each time are encoded once: what is this answer's own goes beside them.
  const headers = touchedHeader === undefined ? HEADERS : withFields(HEADERS, headersOf(touchedHeader));
  const trailers = touchedTrailer === undefined ? OK : withFields(OK, createTrailers(context));
  stream.answer(headers, frameGrpcMessage(message), trailers, responseFields);
}

/**
 * Sends why a call failed. What has no headers of its own to send is one frame of headers (Trailers-Only). Without a context
 * there was no call yet.
 */
export function sendGrpcFailure(stream: GrpcStream, failure: Failure, context: CallContext | undefined): void {
  if (stream.isClosed) {
    // It may be that nobody has taken it yet: whoever looks on is told of its end by that.
    stream.receive(NOBODY);
    return;
  }
  const metadata = context === undefined ? {} : createTrailers(context);
  if (!context?.hasResponseHeaders) stream.sendHeaders(createFailureFields(failure, metadata), true);
  else
    stream.answer(
      withFields(HEADERS, createResponseHeaders(context)),
      NOTHING,
      createFailureTrailers(failure, metadata),
    );
}

/** The headers of an answer that is nothing but why a call failed; `metadata` are trailers that were set before. */
export function createFailureFields(failure: Failure, metadata: ResponseHeaders): readonly string[] {
  return [...HEADERS, ...createFailureTrailers(failure, metadata)];
}

function createFailureTrailers(failure: Failure, metadata: ResponseHeaders): readonly string[] {
  appendHeaders(metadata, failure.headers);
  return withFields(createStatusFields(failure), metadata);
}

function headersOf(set: Headers): ResponseHeaders {
  const headers: ResponseHeaders = {};
  appendHeaders(headers, set);
  return headers;
}

/** Fields, and after them those of a handler. What gRPC says of the message and of the call is not the handler's to set. */
function withFields(fields: readonly string[], added: ResponseHeaders): readonly string[] {
  const all = [...fields];
  for (const [name, value] of Object.entries(added)) {
    if (name === "content-type" || name.startsWith("grpc-")) continue;
    for (const one of [value].flat()) all.push(name, one);
  }
  return all;
}
