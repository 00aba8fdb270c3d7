import type { ContentCoding } from "../http/content-coding.js";
import type { HttpRequest } from "../http/http-request.js";
import { readBodyChunks } from "../http/read-body-chunks.js";
import { Envelope, frameMessage } from "./envelope.js";

/**
 * Reads the messages of a body, decompresses them, and yields each message with its prefix. Joins the chunks of a message, because Connect's handlers
 * would store every chunk separately. If a client sends single bytes, that takes far more memory and time than the size of the body. Throws a
 * `RequestError` for an invalid message. Throws the signal's reason when the signal aborts.
 *
 * @param check throws a `RequestError` for a message that Connect's handlers must not get.
 * @param onTaken called for each complete message, with the number of body bytes read so far.
 */
export async function* readRequestFrames(
  request: HttpRequest,
  maxBytes: number,
  codings: readonly ContentCoding[],
  signal: AbortSignal | undefined,
  check: (message: Uint8Array) => void,
  onTaken: ((request: HttpRequest, bytes: number) => void) | undefined,
): AsyncGenerator<Uint8Array, void> {
  let envelope = new Envelope(maxBytes, codings);
  let taken = 0;
  for await (const chunk of readBodyChunks(request, signal)) {
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
