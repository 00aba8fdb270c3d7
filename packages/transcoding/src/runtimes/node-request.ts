import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { Code, ConnectError, type ContextValues } from "@connectrpc/connect";
import { bodyTooLarge } from "../calls/read-body.js";
import type { ContentCoding } from "../responses/content-coding.js";
import type { TranscoderRequest } from "../transcoder-request.js";

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
    return `${scheme}://${this.#authority ?? "localhost"}`;
  }

  get hasBody(): boolean {
    return hasBody(this.#request);
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return typeof value === "object" ? value.join(", ") : value;
  }

  headerEntries(): readonly (readonly [string, string])[] {
    const { headers } = this.#request;
    const entries: (readonly [string, string])[] = [];
    // RFC 9113 section 8.3.1: over HTTP/2 the pseudo-header stands for Host.
    if (headers.host === undefined && this.#authority !== undefined) entries.push(["host", this.#authority]);
    for (const name of Object.keys(headers)) {
      const value = headers[name];
      if (value === undefined || name.startsWith(":")) continue;
      if (typeof value === "string") entries.push([name, value]);
      else for (const one of value) entries.push([name, one]);
    }
    return entries;
  }

  readBytes(maxBytes: number): Promise<Uint8Array> {
    const request = this.#request;
    if (Number(request.headers["content-length"] ?? 0) > maxBytes) return Promise.reject(bodyTooLarge(maxBytes));
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const onData = (chunk: Buffer) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size <= maxBytes) return;
        request.off("data", onData).off("close", onClose).pause();
        reject(bodyTooLarge(maxBytes));
      };
      const onClose = () => reject(new ConnectError("the client went away", Code.Canceled));
      request.on("data", onData).once("close", onClose);
      request.once("end", () => {
        request.off("close", onClose);
        resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size));
      });
    });
  }

  onAbort(listener: () => void): () => void {
    return onGone(this.#request, this.#response, listener);
  }

  get #authority(): string | undefined {
    const { headers } = this.#request;
    return (headers[":authority"] as string | undefined) ?? headers.host;
  }
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
