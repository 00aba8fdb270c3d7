import type { TranscoderResponse } from "../transcoder-response.js";

type Chunk = string | Uint8Array;

const encoder = new TextEncoder();

/** Turns a response into one of the Fetch standard. */
export function createFetchResponse(request: Request, { status, headers, body }: TranscoderResponse): Response {
  const fields = new Headers();
  for (const [name, values] of Object.entries(headers)) {
    for (const value of [values].flat()) fields.append(name, value);
  }
  const content = typeof body === "string" ? encoder.encode(body) : body;
  if (content instanceof Uint8Array) fields.set("content-length", String(content.length));
  if (request.method !== "HEAD") return new Response(toBodyInit(content), { status, headers: fields });
  if (content !== undefined && !(content instanceof Uint8Array)) void content[Symbol.asyncIterator]().return?.();
  return new Response(null, { status, headers: fields });
}

function toBodyInit(content: Exclude<TranscoderResponse["body"], string>) {
  if (content === undefined) return null;
  return content instanceof Uint8Array ? (content as Uint8Array<ArrayBuffer>) : createStream(content);
}

/** A stream that asks for a chunk when the client is ready for it, and ends the iteration when the client goes away. */
function createStream(body: AsyncIterable<Chunk>): ReadableStream<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await chunks.next();
        if (chunk.done) controller.close();
        else controller.enqueue(typeof chunk.value === "string" ? encoder.encode(chunk.value) : chunk.value);
      },
      async cancel() {
        await chunks.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
