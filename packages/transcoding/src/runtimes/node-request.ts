import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { ContextValues } from "@connectrpc/connect";
import { createBodyAlreadyReadError } from "../http/body-errors.js";
import type { ContentCoding } from "../http/content-coding.js";
import type { BodyReceiver, HttpRequest } from "../http/http-request.js";

/** A request of `node:http`, `node:https` or the compatibility API of `node:http2`. */
export type NodeRequest = IncomingMessage | Http2ServerRequest;

/**
 * A response of `node:http`, `node:https` or the compatibility API of `node:http2`. Two methods have the types of
 * `connectNodeAdapter`, so that either handler can be the other's fallback.
 */
export type NodeResponse = (Omit<ServerResponse, "write"> | Omit<Http2ServerResponse, "write">) & {
  write(chunk: string | Uint8Array, callback?: WriteCallback): boolean;
  write(chunk: string | Uint8Array, encoding: BufferEncoding, callback?: WriteCallback): boolean;
  writeHead(status: number, headers?: OutgoingHttpHeaders): unknown;
};

type WriteCallback = (error: Error | null | undefined) => void;

/** A request of Node's servers. */
export class NodeHttpRequest implements HttpRequest {
  readonly method: string;
  readonly target: string;
  readonly body = undefined;
  /** The number of body bytes that the receiver has not acknowledged. */
  #unconsumed = 0;

  constructor(
    protected readonly request: NodeRequest,
    protected readonly response: NodeResponse,
    readonly contextValues: ContextValues | undefined,
    readonly codings: readonly ContentCoding[],
  ) {
    this.method = request.method ?? "";
    this.target = request.url ?? "";
  }

  get httpVersion(): HttpRequest["httpVersion"] {
    return this.request.httpVersion as HttpRequest["httpVersion"];
  }

  get origin(): string {
    const { headers, socket } = this.request;
    const scheme = headers[":scheme"] ?? ("encrypted" in socket ? "https" : "http");
    return `${scheme}://${authorityOf(headers) ?? "localhost"}`;
  }

  get hasBody(): boolean {
    const { request } = this;
    if ("stream" in request) return !request.stream.endAfterHeaders;
    const { headers } = request;
    return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name];
    return typeof value === "object" ? value.join(", ") : value;
  }

  isRepeated(name: string): boolean {
    return this.request.rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === name).length > 1;
  }

  *headerEntries(): Iterable<readonly [string, string]> {
    const { headers } = this.request;
    const authority = authorityOf(headers);
    // RFC 9113 section 8.3.1: the pseudo-header replaces Host over HTTP/2.
    if (headers.host === undefined && authority !== undefined) yield ["host", authority];
    for (const name of Object.keys(headers)) {
      if (name.startsWith(":")) continue;
      for (const value of [headers[name] ?? []].flat()) yield [name, value];
    }
  }

  receive(receiver: BodyReceiver): void {
    const { request } = this;
    if (request.readableEnded) throw createBodyAlreadyReadError();
    if (request.errored) {
      receiver.onAbort(undefined);
      return;
    }
    const onData = (chunk: Buffer) => {
      this.#unconsumed += chunk.length;
      receiver.onData(chunk);
      if (this.#unconsumed > 0) request.pause();
    };
    const onEnd = () => {
      request.off("data", onData).off("end", onEnd).off("error", onEnd).off("close", onEnd);
      // Node.js also emits end for an HTTP/2 stream that the client has reset.
      if (request.readableEnded && !request.aborted) receiver.onEnd();
      else receiver.onAbort(undefined);
    };
    request.on("data", onData).once("end", onEnd).once("error", onEnd).once("close", onEnd);
  }

  consume(bytes: number): void {
    this.#unconsumed -= bytes;
    if (this.#unconsumed === 0 && this.request.isPaused()) this.request.resume();
  }

  onGone(listener: () => void): () => void {
    const { request, response } = this;
    if (this.isGone) {
      listener();
      return () => {};
    }
    // A reset with NO_ERROR only aborts an HTTP/2 stream, which never closes while it has data to write.
    request.once("aborted", listener);
    response.once("close", listener);
    return () => {
      request.off("aborted", listener);
      response.off("close", listener);
    };
  }

  /** Whether the client has disconnected. */
  protected get isGone(): boolean {
    return "stream" in this.request ? this.request.stream.closed : (this.response as ServerResponse).destroyed;
  }
}

/** Returns the host and port of a request, from the pseudo-header :authority or from Host. */
function authorityOf(headers: IncomingHttpHeaders): string | undefined {
  return (headers[":authority"] as string | undefined) ?? headers.host;
}
