import type { HttpResponse } from "../http/http-response.js";

type Chunk = string | Uint8Array;

const encoder = new TextEncoder();

/**
 * Converts a response to a Response of the Fetch standard.
 *
 * @param onEnd is called when the rest of the request will not be read.
 */
export function createFetchResponse(
  request: Request,
  { status, headers, ownHeaders, body }: HttpResponse,
  onEnd: () => void,
): Response {
  const fields = new Headers();
  for (const [name, values] of Object.entries({ ...headers, ...ownHeaders })) {
    for (const value of [values].flat()) fields.append(name, value);
  }
  const content = typeof body === "string" ? encoder.encode(body) : body;
  const isStream = content !== undefined && !(content instanceof Uint8Array);
  if (!isStream || request.method === "HEAD") onEnd();
  if (content instanceof Uint8Array) fields.set("content-length", String(content.length));
  if (request.method !== "HEAD") return new Response(toBodyInit(content, onEnd), { status, headers: fields });
  if (isStream) void content[Symbol.asyncIterator]().return?.();
  return new Response(null, { status, headers: fields });
}

function toBodyInit(content: Exclude<HttpResponse["body"], string>, onEnd: () => void) {
  if (content === undefined) return null;
  return content instanceof Uint8Array ? (content as Uint8Array<ArrayBuffer>) : createStream(content, onEnd);
}

/** Creates a stream that pulls chunks as the client reads them, and ends the iteration if the client disconnects. */
function createStream(body: AsyncIterable<Chunk>, onEnd: () => void): ReadableStream<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await chunks.next();
        if (chunk.done) {
          onEnd();
          controller.close();
        } else controller.enqueue(typeof chunk.value === "string" ? encoder.encode(chunk.value) : chunk.value);
      },
      async cancel() {
        onEnd();
        await chunks.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
