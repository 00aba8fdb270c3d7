import type { ServerHttp2Stream } from "node:http2";
import type { CallContext } from "../../calls/call-context.js";
import { createResponseHeaders, createTrailers } from "../../calls/context-headers.js";
import type { Failure } from "../../responses/failure.js";
import type { ResponseHeaders } from "../../transcoder-response.js";
import { frameGrpcMessage } from "./grpc-message.js";
import { addFailure } from "./grpc-status.js";

const CONTENT_TYPE = "application/grpc+proto";
// RFC 9113 section 7.
const NO_ERROR = 0;

/** Sends the message of a call, then its trailers. */
export function sendGrpcMessage(stream: ServerHttp2Stream, message: Uint8Array, context: CallContext): void {
  if (stream.closed) return;
  const trailers = dropReserved(createTrailers(context));
  trailers["grpc-status"] = "0";
  respond(stream, context, trailers);
  stream.end(frameGrpcMessage(message));
}

/**
 * Sends why a call failed, and asks a client that is still sending to stop. What has no headers of its own to send is one
 * frame of headers (Trailers-Only). Without a context there was no call yet.
 */
export function sendGrpcFailure(stream: ServerHttp2Stream, failure: Failure, context: CallContext | undefined): void {
  if (stream.closed) return;
  const trailers = context === undefined ? {} : createTrailers(context);
  addFailure(dropReserved(trailers), failure);
  if (context?.touchedHeader === undefined) {
    stream.respond({ ...trailers, ":status": 200, "content-type": CONTENT_TYPE }, { endStream: true });
    stopSending(stream);
  } else {
    respond(stream, context, trailers);
    stream.end();
  }
}

function respond(stream: ServerHttp2Stream, context: CallContext, trailers: ResponseHeaders): void {
  const headers = dropReserved(createResponseHeaders(context));
  headers["content-type"] = CONTENT_TYPE;
  stream.once("wantTrailers", () => {
    stream.sendTrailers(trailers);
    stopSending(stream);
  });
  stream.respond({ ...headers, ":status": 200 }, { waitForTrailers: true });
}

/** What gRPC says of the message and of the call is not the handler's to set: those of a call that it made itself, say. */
function dropReserved(headers: ResponseHeaders): ResponseHeaders {
  for (const name of Object.keys(headers)) if (name.startsWith("grpc-")) delete headers[name];
  return headers;
}

/** Tells a client that still sends to stop, as the response is whole (RFC 9113 section 8.1). */
function stopSending(stream: ServerHttp2Stream): void {
  if (stream.readableEnded) return;
  setImmediate(() => {
    stream.close(NO_ERROR);
    // What has come already is read to nowhere: Node keeps the stream until then.
    stream.resume();
  });
}
