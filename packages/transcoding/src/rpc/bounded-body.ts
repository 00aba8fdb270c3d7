import type { HttpRequest } from "../http/http-request.js";
import { readBytes } from "../http/read-body.js";
import { readChunks } from "../http/read-chunks.js";
import { Envelope } from "./envelope.js";

/** Called with the number of body bytes that a call has received so far, each time it receives some. */
export type BodyTakenListener = (request: HttpRequest, bytes: number) => void;

/** The content types of bodies in which messages have prefixes. */
const ENVELOPED = /^application\/(?:grpc|connect\+)/i;

/**
 * Reads a body for Connect's handlers in complete messages of a limited size before decompression. Connect would store every chunk
 * separately, which takes far more memory than the body if a client sends single bytes. Throws a `RequestError` for a message that
 * is too large.
 */
export function readBoundedBody(
  request: HttpRequest,
  maxBytes: number,
  onTaken: BodyTakenListener | undefined,
): AsyncIterable<Uint8Array> {
  const isEnveloped = ENVELOPED.test(request.header("content-type") ?? "");
  return isEnveloped ? readEnvelopes(request, maxBytes, onTaken) : readWhole(request, maxBytes, onTaken);
}

/** Yields the body of a unary call of the Connect protocol. */
async function* readWhole(request: HttpRequest, maxBytes: number, onTaken: BodyTakenListener | undefined) {
  const body = await readBytes(request, maxBytes);
  onTaken?.(request, body.length);
  yield body;
}

/** Yields the messages of a body, each with its prefix. Yields the bytes after the last complete message unchanged. */
async function* readEnvelopes(request: HttpRequest, maxBytes: number, onTaken: BodyTakenListener | undefined) {
  let envelope = new Envelope(maxBytes);
  let taken = 0;
  for await (const chunk of readChunks(request)) {
    for (let rest = envelope.push(chunk); envelope.isComplete; rest = envelope.push(rest)) {
      const bytes = envelope.take();
      taken += bytes.length;
      onTaken?.(request, taken);
      yield bytes;
      envelope = new Envelope(maxBytes);
    }
  }
  yield envelope.take();
}
