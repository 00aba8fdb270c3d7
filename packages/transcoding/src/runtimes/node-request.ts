import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { ConnectError, type ContextValues } from "@connectrpc/connect";
import { bodyAlreadyRead } from "../http/body-errors.js";
import type { ContentCoding } from "../http/content-coding.js";
import type { BodyReceiver, HttpRequest } from "../http/http-request.js";
import { authorityOf, headerEntriesOf, headerOf, isRepeated } from "./node-headers.js";

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
  readonly contextValues: ContextValues | undefined;
  readonly codings: readonly ContentCoding[];
  readonly body = undefined;
  readonly #request: NodeRequest;
  readonly #response: NodeResponse;
  /** Bytes of the body that the receiver got but did not acknowledge. */
  #unconsumed = 0;

  constructor(
    request: NodeRequest,
    response: NodeResponse,
    contextValues: ContextValues | undefined,
    codings: readonly ContentCoding[],
  ) {
    this.method = request.method ?? "";
    this.target = request.url ?? "";
    this.contextValues = contextValues;
    this.codings = codings;
    this.#request = request;
    this.#response = response;
  }

  get httpVersion(): HttpRequest["httpVersion"] {
    return this.#request.httpVersion as HttpRequest["httpVersion"];
  }

  get origin(): string {
    const request = this.#request;
    const scheme = request.headers[":scheme"] ?? ("encrypted" in request.socket ? "https" : "http");
    return `${scheme}://${authorityOf(request.headers) ?? "localhost"}`;
  }

  get hasBody(): boolean {
    return hasBody(this.#request);
  }

  header(name: string): string | undefined {
    return headerOf(this.#request.headers, name);
  }

  isRepeated(name: string): boolean {
    return isRepeated(this.#request.rawHeaders, name);
  }

  headerEntries(): readonly (readonly [string, string])[] {
    return headerEntriesOf(this.#request.headers);
  }

  receive(receiver: BodyReceiver): void {
    const request = this.#request;
    if (request.readableEnded) throw bodyAlreadyRead();
    if (request.errored) {
      receiver.onAbort(failureOf(request.errored));
      return;
    }
    const onData = (chunk: Buffer) => {
      this.#unconsumed += chunk.length;
      receiver.onData(chunk);
      if (this.#unconsumed > 0) request.pause();
    };
    const stop = () => request.off("data", onData).off("end", onEnd).off("error", onError).off("close", onClose);
    const onEnd = () => {
      stop();
      // Node.js also emits end for an HTTP/2 stream that the client has reset.
      if (request.aborted) receiver.onAbort(undefined);
      else receiver.onEnd();
    };
    const onError = (error: Error) => {
      stop();
      receiver.onAbort(failureOf(error));
    };
    const onClose = () => {
      stop();
      receiver.onAbort(undefined);
    };
    request.on("data", onData).once("end", onEnd).once("error", onError).once("close", onClose);
  }

  consume(bytes: number): void {
    this.#unconsumed -= bytes;
    if (this.#unconsumed === 0 && this.#request.isPaused()) this.#request.resume();
  }

  onGone(listener: () => void): () => void {
    return onGone(this.#request, this.#response, listener);
  }
}

/** Returns the error with which the server ended a body; undefined if the client disconnected. */
function failureOf(error: Error): Error | undefined {
  return error instanceof ConnectError ? error : undefined;
}

/** Whether a request can have a body. False if its head rules one out. */
export function hasBody(request: NodeRequest): boolean {
  if ("stream" in request) return !request.stream.endAfterHeaders;
  const { headers } = request;
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Whether the client has disconnected. */
export function isGone(request: NodeRequest, response: NodeResponse): boolean {
  return "stream" in request ? request.stream.closed : (response as ServerResponse).destroyed;
}

/** Calls the listener when the client disconnects, at once if it already has. Returns a function that removes the listener. */
export function onGone(request: NodeRequest, response: NodeResponse, listener: () => void): () => void {
  if (isGone(request, response)) {
    listener();
    return () => {};
  }
  // A reset with NO_ERROR only aborts an HTTP/2 stream: while it has data to write it is never closed.
  request.once("aborted", listener);
  response.once("close", listener);
  return () => {
    request.off("aborted", listener);
    response.off("close", listener);
  };
}
