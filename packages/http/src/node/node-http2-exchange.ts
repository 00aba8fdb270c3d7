import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { Peer } from "../exchange.js";
import { ErrorCode } from "../http2/http2-error.js";
import { requireSendable } from "../require-sendable.js";
import { NodeExchange, type PartialBodyListener } from "./node-exchange.js";

/** An exchange of Node's HTTP/2 server. */
export class NodeHttp2Exchange extends NodeExchange {
  declare readonly request: Http2ServerRequest;
  declare readonly response: Http2ServerResponse;
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** Counts the writes to the response, including those of a listener that uses it directly. */
  #writes = 0;

  constructor(
    request: Http2ServerRequest,
    response: Http2ServerResponse,
    peer: Peer,
    onPartialBody: PartialBodyListener,
  ) {
    super(request, response, peer, !request.stream.endAfterHeaders);
    this.headers = withoutPseudoHeaders(request.headers);
    if (this.hasBody) this.#watchPieces(onPartialBody);
    const write = response.write.bind(response) as (...parameters: unknown[]) => boolean;
    response.write = (...parameters: unknown[]) => {
      this.#writes++;
      return write(...parameters);
    };
  }

  get httpVersion(): "2.0" {
    return "2.0";
  }

  get progress(): number | undefined {
    const { request } = this;
    const isStillArriving = this.hasBody && !request.complete && request.readableLength === 0;
    if (this.isOver || request.stream.writableLength > 0 || isStillArriving) return undefined;
    return this.receivedBytes + this.#writes;
  }

  abort(): void {
    this.request.stream.close(ErrorCode.CANCEL);
  }

  /** Resets the stream one turn after the last write, because a reset drops headers and data that Node has not sent yet. */
  protected cutOff(): void {
    const { stream } = this.request;
    const reset = () => setImmediate(() => stream.close(ErrorCode.INTERNAL_ERROR));
    if (stream.writableLength === 0) reset();
    else stream.write("", reset);
  }

  protected get isDisconnected(): boolean {
    return this.request.stream.closed;
  }

  /** Resets the stream with NO_ERROR after the response, to make the client stop sending (RFC 9113 section 8.1). */
  protected respondEarly(status: number, headers: OutgoingHttpHeaders, content: string | Uint8Array): void {
    const { request, response } = this;
    const { stream } = request;
    stream.once("wantTrailers", () =>
      setImmediate(() => {
        stream.close(ErrorCode.NO_ERROR);
        // Node keeps the stream until the received data is read.
        stream.removeAllListeners("data").resume();
      }),
    );
    this.writeHead(status, headers);
    if (content.length === 0) response.end();
    else response.end(content);
  }

  /** Checks the values, because Node would silently remove forbidden characters. */
  protected override writeHead(status: number, headers: OutgoingHttpHeaders): void {
    for (const name in headers) {
      for (const value of [headers[name] ?? ""].flat()) requireSendable(name, String(value));
    }
    super.writeHead(status, headers);
  }

  #watchPieces(onPartialBody: PartialBodyListener): void {
    const { request } = this;
    const { push } = request;
    request.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
      if (chunk !== null) {
        this.receivedBytes += chunk.length;
        onPartialBody(this);
      }
      return push.call(request, chunk, encoding);
    };
  }
}

/** Replaces the pseudo-headers: `:authority` becomes `host` (RFC 9113 section 8.3.1). */
function withoutPseudoHeaders(all: Http2ServerRequest["headers"]): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = Object.create(null);
  for (const name of Object.keys(all)) if (!name.startsWith(":")) headers[name] = all[name];
  if (all[":authority"] !== undefined) headers.host = all[":authority"];
  return headers;
}
