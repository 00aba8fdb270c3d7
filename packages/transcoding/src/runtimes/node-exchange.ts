import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import type { HttpResponse } from "../http/http-response.js";
import { NodeHttpRequest } from "./node-request.js";

type Chunks = AsyncIterable<string | Uint8Array>;

/** Up to this size, reading the rest of a rejected body is cheaper than a new connection. */
const MAX_DISCARDED_BYTES = 64 * 1024;
/** Time for a client that is still sending a rejected body to read its response before the connection is closed. */
const LINGER_MS = 1000;
// RFC 9113 section 7.
const NO_ERROR = 0;
const INTERNAL_ERROR = 2;

/** A request of Node's servers and its response. */
export class NodeExchange extends NodeHttpRequest {
  /** Writes a response. Rejects if a stream fails and its format has no error record, so that the connection must be cut. */
  respond(answer: HttpResponse): Promise<void> | undefined {
    const { body } = answer;
    if (body !== undefined && typeof body !== "string" && !(body instanceof Uint8Array)) {
      return this.#writeStream(answer, body);
    }
    if (!this.isGone) this.#writeWhole(answer, body);
    return undefined;
  }

  /** Cuts off a response that failed after it began. Sends what was already written. */
  cut(): void {
    const { request, response } = this;
    if ("stream" in request) cutStream(request.stream);
    else if (response.headersSent) cutConnection(response as ServerResponse);
    else (response as ServerResponse).destroy();
  }

  #writeWhole(answer: HttpResponse, body: string | Uint8Array | undefined): void {
    const { status, trailers } = answer;
    const headers = headersOf(answer);
    if ("stream" in this.request && body === undefined && trailers === undefined) {
      this.#writeHeadersOnly(status, headers);
      return;
    }
    const length = body === undefined ? 0 : Buffer.byteLength(body);
    // RFC 9110 section 8.6: a 204 has no length, a 304 only that of the omitted body. Trailers need chunks in HTTP/1.1.
    if (trailers === undefined && status !== 204 && status !== 304) headers["content-length"] = length;
    const content = this.method === "HEAD" ? undefined : body;
    if (this.#isStillSending) {
      this.#endEarly(status, headers, content);
      return;
    }
    this.response.writeHead(status, headers);
    if (trailers !== undefined && content !== undefined) this.response.addTrailers(trailers() as OutgoingHttpHeaders);
    // ASCII text has the same bytes in both encodings, and Latin-1 is faster to write.
    if (typeof content === "string") this.response.end(content, length === content.length ? "latin1" : "utf8");
    else this.#end(content);
  }

  /** Sends headers that end the stream, as gRPC's Trailers-Only responses require. `writeHead` would send an empty DATA frame. */
  #writeHeadersOnly(status: number, headers: OutgoingHttpHeaders): void {
    const { request, response } = this;
    response.statusCode = status;
    for (const name in headers) response.setHeader(name, headers[name] as string | string[]);
    response.end();
    if ("stream" in request && this.#isStillSending) setImmediate(stopSending, request.stream);
  }

  async #writeStream(answer: HttpResponse, body: Chunks): Promise<void> {
    const { request, response } = this;
    const chunks = body[Symbol.asyncIterator]();
    try {
      if (this.isGone) return;
      response.writeHead(answer.status, headersOf(answer));
      if (this.method !== "HEAD") {
        for (let chunk = await chunks.next(); !chunk.done; chunk = await chunks.next()) {
          if (this.isGone) return;
          if (!response.write(chunk.value)) await this.#drained();
        }
        if (this.isGone) return;
        if (answer.trailers !== undefined) response.addTrailers(answer.trailers() as OutgoingHttpHeaders);
      }
      response.end();
    } finally {
      await chunks.return?.();
      // Otherwise Node.js would keep the unsent data for a disconnected client.
      if ("stream" in request && request.stream.aborted) request.stream.destroy();
    }
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      let stop: (() => void) | undefined;
      const done = () => {
        this.response.off("drain", done);
        stop?.();
        resolve();
      };
      this.response.on("drain", done);
      stop = this.onGone(done);
    });
  }

  /** Whether the client is still sending a body that is too large to read and discard. */
  get #isStillSending(): boolean {
    if (this.request.complete || !this.hasBody) return false;
    return !(Number(this.request.headers["content-length"]) <= MAX_DISCARDED_BYTES);
  }

  /**
   * Responds to a request whose body will not be read. HTTP/2 has RST_STREAM with NO_ERROR for this (RFC 9113 section 8.1). In
   * HTTP/1.1 the connection is closed, after a delay for the client to read the response (RFC 9112 section 9.6).
   */
  #endEarly(status: number, headers: OutgoingHttpHeaders, content: string | Uint8Array | undefined): void {
    const { request, response } = this;
    if ("stream" in request) {
      // After the trailers, so that the complete response is sent before the reset.
      request.stream.once("wantTrailers", () => setImmediate(stopSending, request.stream));
      response.writeHead(status, headers);
      this.#end(content);
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

  #end(content: string | Uint8Array | undefined): void {
    if (content === undefined) this.response.end();
    else this.response.end(content);
  }
}

function headersOf({ headers, ownHeaders }: HttpResponse): OutgoingHttpHeaders {
  return { ...headers, ...ownHeaders } as OutgoingHttpHeaders;
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

function stopSending(stream: ServerHttp2Stream): void {
  stream.close(NO_ERROR);
  // Discards the data received so far, because Node.js keeps the stream until it is read.
  stream.removeAllListeners("data").resume();
}
