import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { Code, ConnectError, type ContextValues } from "@connectrpc/connect";
import { bodyAlreadyRead, bodyTooLarge } from "../calls/read-body.js";
import type { ContentCoding } from "../responses/content-coding.js";
import type { TranscoderRequest } from "../transcoder-request.js";
import { BodyBuffer } from "./body-buffer.js";
import { authorityOf, headerEntriesOf, headerOf, isRepeated } from "./node-headers.js";

/** A request of `node:http`, `node:https` or the compatibility API of `node:http2`. */
export type NodeRequest = IncomingMessage | Http2ServerRequest;

/**
 * A response of `node:http`, `node:https` or the compatibility API of `node:http2`. The types of the two methods are those
 * of `connectNodeAdapter`, so that either handler can be the other's fallback.
 */
export type NodeResponse = (Omit<ServerResponse, "write"> | Omit<Http2ServerResponse, "write">) & {
  write(chunk: string | Uint8Array, callback?: WriteCallback): boolean;
  write(chunk: string | Uint8Array, encoding: BufferEncoding, callback?: WriteCallback): boolean;
  writeHead(status: number, headers?: OutgoingHttpHeaders): unknown;
};

type WriteCallback = (error: Error | null | undefined) => void;

/** A request of Node's servers as the transcoder reads it. */
export class NodeTranscoderRequest implements TranscoderRequest {
  readonly method: string;
  readonly target: string;
  readonly contextValues: ContextValues | undefined;
  readonly codings: readonly ContentCoding[];
  readonly #request: NodeRequest;
  readonly #response: NodeResponse;

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

  readBytes(maxBytes: number): Promise<Uint8Array> {
    const request = this.#request;
    if (request.readableEnded) return Promise.reject(bodyAlreadyRead());
    const length = Number(request.headers["content-length"] ?? 0);
    if (length > maxBytes) return Promise.reject(bodyTooLarge(maxBytes));
    if (request.errored) return Promise.reject(failureOf(request.errored));
    return new Promise((resolve, reject) => {
      const body = new BodyBuffer(length);
      // All of them hold the body, which a request that is refused is not to keep until its connection ends.
      const stop = () => request.off("data", onData).off("end", onEnd).off("error", onError).off("close", onClose);
      const fail = (error: Error) => {
        stop();
        reject(error);
      };
      const onData = (chunk: Buffer) => {
        if (body.size + chunk.length <= maxBytes) {
          body.push(chunk);
          return;
        }
        request.pause();
        fail(bodyTooLarge(maxBytes));
      };
      const onEnd = () => {
        stop();
        resolve(body.take());
      };
      const onError = (error: Error) => fail(failureOf(error));
      const onClose = () => fail(clientGone());
      request.on("data", onData).once("end", onEnd).once("error", onError).once("close", onClose);
    });
  }

  async *readChunks(): AsyncIterable<Uint8Array> {
    const request = this.#request;
    if (request.readableEnded) throw bodyAlreadyRead();
    try {
      // The connection is still needed for the response.
      for await (const chunk of request.iterator({ destroyOnReturn: false })) yield chunk;
    } catch (error) {
      throw failureOf(error as Error);
    }
  }

  onAbort(listener: () => void): () => void {
    return onGone(this.#request, this.#response, listener);
  }
}

/** What a call fails with whose body fails: with the error that the server has ended it with, or else as its client has gone away. */
function failureOf(error: Error): Error {
  return error instanceof ConnectError ? error : clientGone();
}

function clientGone(): ConnectError {
  return new ConnectError("the client went away", Code.Canceled);
}

/** Whether a request can have a body: false where its head says that there is none. */
export function hasBody(request: NodeRequest): boolean {
  if ("stream" in request) return !request.stream.endAfterHeaders;
  const { headers } = request;
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Whether the client has gone away. */
export function isGone(request: NodeRequest, response: NodeResponse): boolean {
  return "stream" in request ? request.stream.closed : (response as ServerResponse).destroyed;
}

/** Calls back when the client goes away, at once if it already has; returns the way to stop that. */
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
