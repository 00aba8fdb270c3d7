import type { ContentCoding } from "../http/content-coding.js";
import type { HttpRequest } from "../http/http-request.js";
import { readChunks } from "../http/read-chunks.js";
import { Envelope, frameMessage } from "./envelope.js";

/**
 * Reads the messages of a body, decompresses them, and yields each with its prefix. Connect's handlers would store every chunk separately,
 * which takes far more memory and time than the size of the body if a client sends single bytes. Throws a `RequestError` for an invalid
 * message, and throws the signal's reason when it aborts.
 *
 * @param check throws a `RequestError` for a message that must not be decoded.
 * @param onTaken called after each message, with the number of bytes received so far.
 */
export async function* readFrames(
  request: HttpRequest,
  maxBytes: number,
  codings: readonly ContentCoding[],
  signal: AbortSignal | undefined,
  check: (message: Uint8Array) => void,
  onTaken: ((request: HttpRequest, bytes: number) => void) | undefined,
): AsyncGenerator<Uint8Array, void> {
  let envelope = new Envelope(maxBytes, codings);
  let taken = 0;
  for await (const chunk of readChunks(request, signal)) {
    for (let rest = envelope.push(chunk); envelope.isComplete; rest = envelope.push(rest)) {
      const message = await envelope.message();
      check(message);
      taken += envelope.size;
      onTaken?.(request, taken);
      yield frameMessage(message);
      envelope = new Envelope(maxBytes, codings);
    }
  }
  if (!envelope.isEmpty) await envelope.message();
}
