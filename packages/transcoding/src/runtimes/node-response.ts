import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Http2ServerRequest, ServerHttp2Stream } from "node:http2";
import type { HttpResponse } from "../http/http-response.js";
import { hasBody, isGone, type NodeRequest, type NodeResponse, onGone } from "./node-request.js";

type Chunks = AsyncIterable<string | Uint8Array>;

/** Up to this size, reading the rest of a rejected body is cheaper than a new connection. */
const MAX_DISCARDED_BYTES = 64 * 1024;
/** Time for a client that is still sending a rejected body to read its response before the connection is closed. */
const LINGER_MS = 1000;
// RFC 9113 section 7.
const NO_ERROR = 0;
const INTERNAL_ERROR = 2;

/** Writes a response. Rejects if a stream fails and its format has no error record, so that the connection must be cut. */
export function writeNodeResponse(
  request: NodeRequest,
  response: NodeResponse,
  answer: HttpResponse,
): Promise<void> | undefined {
  const { body } = answer;
  if (body !== undefined && typeof body !== "string" && !(body instanceof Uint8Array)) {
    return writeStream(request, response, answer, body);
  }
  if (!isGone(request, response)) writeWhole(request, response, answer, body);
  return undefined;
}

/** Cuts off a response that failed after it began. Sends what was already written. */
export function cutNodeResponse(request: NodeRequest, response: NodeResponse): void {
  if ("stream" in request) {
    cutStream(request.stream);
  } else if (!response.headersSent) {
    (response as ServerResponse).destroy();
  } else {
    cutConnection(response as ServerResponse);
  }
}

function cutStream(stream: ServerHttp2Stream): void {
  // A reset drops the headers and data that Node.js has not sent yet. It sends them in a later turn of the event loop.
  const reset = () => setImmediate(() => stream.close(INTERNAL_ERROR));
  if (stream.writableLength === 0) reset();
  else stream.write("", reset);
}

/** Closes the connection without the last chunk, which tells the client that the response is not complete. */
function cutConnection(response: ServerResponse): void {
  response.flushHeaders();
  // A response to a pipelined request gets the socket when the earlier responses are complete.
  if (response.socket === null) response.once("socket", () => setImmediate(cutConnection, response));
  // Node.js may send written data only in the next turn of the event loop.
  else setImmediate(() => response.socket?.destroySoon());
}

function writeWhole(
  request: NodeRequest,
  response: NodeResponse,
  { status, headers, ownHeaders, trailers }: HttpResponse,
  body: string | Uint8Array | undefined,
): void {
  const sent = { ...headers, ...ownHeaders } as OutgoingHttpHeaders;
  if ("stream" in request && body === undefined && trailers === undefined) {
    writeHeadersOnly(request, response, status, sent);
    return;
  }
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  // RFC 9110 section 8.6: a 204 has no length, a 304 only that of the omitted body. Trailers need chunks in HTTP/1.1.
  if (trailers === undefined && status !== 204 && status !== 304) sent["content-length"] = length;
  const content = request.method === "HEAD" ? undefined : body;
  if (isStillSending(request)) {
    endEarly(request, response, status, sent, content);
    return;
  }
  response.writeHead(status, sent);
  if (trailers !== undefined && content !== undefined) response.addTrailers(trailers() as OutgoingHttpHeaders);
  // ASCII text has the same bytes in both encodings, and Latin-1 is faster to write.
  if (typeof content === "string") response.end(content, length === content.length ? "latin1" : "utf8");
  else end(response, content);
}

/** Sends headers that end the stream, as gRPC's Trailers-Only responses require. `writeHead` would send an empty DATA frame. */
function writeHeadersOnly(
  request: Http2ServerRequest,
  response: NodeResponse,
  status: number,
  headers: OutgoingHttpHeaders,
): void {
  response.statusCode = status;
  for (const name in headers) response.setHeader(name, headers[name] as string | string[]);
  response.end();
  if (isStillSending(request)) setImmediate(stopSending, request.stream);
}

async function writeStream(
  request: NodeRequest,
  response: NodeResponse,
  { status, headers, ownHeaders, trailers }: HttpResponse,
  body: Chunks,
): Promise<void> {
  const chunks = body[Symbol.asyncIterator]();
  try {
    if (isGone(request, response)) return;
    response.writeHead(status, { ...headers, ...ownHeaders } as OutgoingHttpHeaders);
    if (request.method !== "HEAD") {
      await writeChunks(request, response, chunks);
      if (isGone(request, response)) return;
      if (trailers !== undefined) response.addTrailers(trailers() as OutgoingHttpHeaders);
    }
    response.end();
  } finally {
    await chunks.return?.();
    // Otherwise Node.js would keep the unsent data for a disconnected client.
    if ("stream" in request && request.stream.aborted) request.stream.destroy();
  }
}

async function writeChunks(
  request: NodeRequest,
  response: NodeResponse,
  chunks: AsyncIterator<string | Uint8Array>,
): Promise<void> {
  for (let chunk = await chunks.next(); !chunk.done; chunk = await chunks.next()) {
    if (isGone(request, response)) return;
    if (!response.write(chunk.value)) await drained(request, response);
  }
}

function drained(request: NodeRequest, response: NodeResponse): Promise<void> {
  return new Promise((resolve) => {
    let stop: (() => void) | undefined;
    const done = () => {
      response.off("drain", done);
      stop?.();
      resolve();
    };
    response.on("drain", done);
    stop = onGone(request, response, done);
  });
}

/** Whether the client is still sending a body that is too large to read and discard. */
function isStillSending(request: NodeRequest): boolean {
  if (request.complete || !hasBody(request)) return false;
  return !(Number(request.headers["content-length"]) <= MAX_DISCARDED_BYTES);
}

/**
 * Responds to a request whose body will not be read. HTTP/2 has RST_STREAM with NO_ERROR for this (RFC 9113 section 8.1). In
 * HTTP/1.1 the connection is closed, after a delay for the client to read the response (RFC 9112 section 9.6).
 */
function endEarly(
  request: NodeRequest,
  response: NodeResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  content: string | Uint8Array | undefined,
): void {
  if ("stream" in request) {
    // After the trailers, so that the complete response is sent before the reset.
    request.stream.once("wantTrailers", () => setImmediate(stopSending, request.stream));
    response.writeHead(status, headers);
    end(response, content);
    return;
  }
  response.writeHead(status, { ...headers, connection: "close" });
  response.write(content ?? "");
  const close = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(close, LINGER_MS);
  request.removeAllListeners("data").once("close", close).resume();
}

function stopSending(stream: ServerHttp2Stream): void {
  stream.close(NO_ERROR);
  // Discards the data received so far, because Node.js keeps the stream until it is read.
  stream.removeAllListeners("data").resume();
}

function end(response: NodeResponse, content: string | Uint8Array | undefined): void {
  if (content === undefined) response.end();
  else response.end(content);
}
