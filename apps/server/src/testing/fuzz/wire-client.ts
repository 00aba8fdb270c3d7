import { Agent, type IncomingHttpHeaders, type IncomingMessage, request as requestHttp1 } from "node:http";
import { type ClientHttp2Session, connect } from "node:http2";
import type { HttpVersion } from "../http-request.js";

/** An HTTP request whose parts are sent unchanged, even if they are invalid. */
export interface WireRequest {
  readonly version: HttpVersion;
  readonly verb: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if the request has no body. */
  readonly body: Uint8Array | undefined;
  /** How the body is sent. HTTP/2 has no chunks, so it sends two pieces instead. Default: whole. */
  readonly transfer?: "whole" | "in two pieces" | "in chunks";
  /** Whether the body never ends: its content length is too large, or the stream stays open. */
  readonly isCut?: boolean;
  /** Whether the response never ends. The client then stops reading after the first data. */
  readonly isEndless?: boolean;
}

/** The received part of a response. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly trailers: IncomingHttpHeaders;
  /** How the response ended: completely, by an HTTP/2 reset, by the end of the connection, or by the client's timeout. */
  readonly end: "whole" | `reset ${number}` | "closed" | "hang";
}

type Report = (end: WireAnswer["end"]) => void;

interface Received {
  status: number;
  headers: IncomingHttpHeaders;
  trailers: IncomingHttpHeaders;
  readonly chunks: Buffer[];
}

/** Sends HTTP/1.1 and HTTP/2 requests with the clients of Node.js. Requests share connections. */
export class WireClient {
  readonly #port: number;
  readonly #hangMs: number;
  readonly #agent = new Agent({ keepAlive: true });
  #session: ClientHttp2Session | undefined;

  /**
   * @param hangMs the time after which a request without a complete response counts as a hang.
   */
  constructor(port: number, hangMs: number) {
    this.#port = port;
    this.#hangMs = hangMs;
  }

  /** Never rejects, because the returned answer also describes failures. */
  send(request: WireRequest): Promise<WireAnswer> {
    const received: Received = { status: 0, headers: {}, trailers: {}, chunks: [] };
    const { promise, resolve } = Promise.withResolvers<WireAnswer>();
    const report: Report = (end) => {
      clearTimeout(timer);
      resolve({ ...received, body: Buffer.concat(received.chunks), end });
    };
    const timer = setTimeout(() => report("hang"), this.#hangMs);
    const letGo =
      request.version === "HTTP/2"
        ? this.#sendHttp2(request, received, report)
        : this.#sendHttp1(request, received, report);
    return promise.finally(letGo);
  }

  close(): void {
    this.#session?.destroy();
    this.#agent.destroy();
  }

  /** Returns a function that closes the stream. */
  #sendHttp2({ verb, target, headers, body, ...rest }: WireRequest, received: Received, report: Report): () => void {
    const pseudoHeaders = { ":method": verb, ":path": target };
    const stream = this.#openSession().request({ ...headers, ...pseudoHeaders }, { endStream: body === undefined });
    stream.on("response", ({ ":status": status = 0, ...fields }) =>
      Object.assign(received, { status, headers: fields }),
    );
    stream.on("trailers", (trailers) => Object.assign(received, { trailers }));
    stream.on("data", (chunk: Buffer) => {
      received.chunks.push(chunk);
      if (rest.isEndless) report("whole");
    });
    stream.on("error", () => {});
    stream.on("close", () => {
      const code = stream.rstCode ?? 0;
      report(code === 0 && received.status !== 0 ? "whole" : `reset ${code}`);
    });
    for (const piece of piecesOf(body, rest.transfer)) stream.write(piece);
    if (!rest.isCut && body !== undefined) stream.end();
    return () => stream.close(8);
  }

  #openSession(): ClientHttp2Session {
    if (this.#session === undefined || this.#session.closed || this.#session.destroyed) {
      this.#session = connect(`http://127.0.0.1:${this.#port}`).on("error", () => {});
      this.#session.setMaxListeners(0);
    }
    return this.#session;
  }

  /** Returns a function that closes the connection if it cannot be reused. */
  #sendHttp1(sent: WireRequest, received: Received, report: Report): () => void {
    const { verb, target, headers, body, transfer, isCut, isEndless } = sent;
    const isChunked = transfer === "in chunks";
    const length = body && !isChunked && { "content-length": body.length + (isCut ? 10 : 0) };
    const request = requestHttp1({
      host: "127.0.0.1",
      port: this.#port,
      method: verb,
      path: target,
      headers: { ...headers, ...length },
      agent: isCut ? false : this.#agent,
    });
    request.on("response", (response: IncomingMessage) => {
      Object.assign(received, { status: response.statusCode, headers: response.headers });
      response.on("data", (chunk: Buffer) => {
        received.chunks.push(chunk);
        if (isEndless) report("whole");
      });
      response.on("error", () => {});
      response.on("close", () => {
        received.trailers = response.trailers;
        report(response.complete ? "whole" : "closed");
      });
    });
    request.on("error", (error: NodeJS.ErrnoException) => {
      if (received.status !== 0) return;
      // The server may close an idle connection just as the client reuses it.
      if (request.reusedSocket && error.code === "ECONNRESET") this.#sendHttp1(sent, received, report);
      else report("closed");
    });
    for (const piece of piecesOf(body, transfer)) request.write(piece);
    if (!isCut) request.end();
    return () => {
      if (isCut || isEndless || received.status === 0) request.destroy();
    };
  }
}

function piecesOf(body: Uint8Array | undefined, transfer: WireRequest["transfer"] = "whole"): readonly Uint8Array[] {
  if (body === undefined || transfer === "whole") return body === undefined ? [] : [body];
  return [body.subarray(0, body.length / 2), body.subarray(body.length / 2)];
}
