import type { HttpRequest } from "../http/http-request.js";
import { readBytes } from "../http/read-body.js";
import { readChunks } from "../http/read-chunks.js";
import { RequestError } from "../http/request-error.js";
import { Envelope } from "./envelope.js";

/** Called with the number of body bytes that a call has received so far, each time it receives some. */
export type BodyTakenListener = (request: HttpRequest, bytes: number) => void;

/** Limits of the request bodies of a method. */
export interface BodyLimits {
  /** The maximum size of a message before decompression. */
  readonly maxBytes: number;
  /** Returns the error of a request that exceeds the limits. */
  readonly errorOf: (error: RequestError) => Error;
  readonly onTaken: BodyTakenListener | undefined;
}

/** The content types of bodies in which messages have prefixes. */
const ENVELOPED = /^application\/(?:grpc|connect\+)/i;

/**
 * Reads a body for Connect's handlers in complete messages of a limited size. Connect would store every chunk separately, which
 * takes far more memory than the body if a client sends single bytes. Connect also has different errors for messages that are too
 * large.
 */
export async function* readBoundedBody(request: HttpRequest, bounds: BodyLimits): AsyncIterable<Uint8Array> {
  const isEnveloped = ENVELOPED.test(request.header("content-type") ?? "");
  try {
    yield* isEnveloped ? readEnvelopes(request, bounds) : readWhole(request, bounds);
  } catch (error) {
    throw error instanceof RequestError ? bounds.errorOf(error) : error;
  }
}

/** Yields the body of a unary call of the Connect protocol. */
async function* readWhole(request: HttpRequest, { maxBytes, onTaken }: BodyLimits): AsyncIterable<Uint8Array> {
  const body = await readBytes(request, maxBytes);
  onTaken?.(request, body.length);
  yield body;
}

/** Yields the messages of a body, each with its prefix. Yields the bytes after the last complete message unchanged. */
async function* readEnvelopes(request: HttpRequest, { maxBytes, onTaken }: BodyLimits): AsyncIterable<Uint8Array> {
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
