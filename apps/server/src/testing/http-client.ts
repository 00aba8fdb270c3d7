import { type EventEmitter, once } from "node:events";
import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp1 } from "node:http";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";

export interface TestResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly trailers: IncomingHttpHeaders;
  readonly body: string;
}

export interface TestRequest {
  /** The stream for the rest of the request body, if the option `body` is "open". */
  readonly body: Writable;
  /** Reads the complete response. Rejects if it is cut off. */
  readResponse(): Promise<TestResponse>;
  /** The status and headers of the response, with its unread body. */
  readonly response: Promise<Pick<TestResponse, "status" | "headers"> & { readonly body: Readable }>;
  /** Whether the server has sent 100 (Continue). */
  isContinued(): boolean;
  destroy(): void;
}

export interface TestRequestOptions {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Use "open" to write the body to `TestRequest.body`. Default: no body. */
  readonly body?: string | Uint8Array | "open" | undefined;
  /** The client's address. Default: 127.0.0.1. */
  readonly localAddress?: string;
}

/** Sends a request to a port on 127.0.0.1 over a new connection. */
export type SendRequest = (port: number, options?: TestRequestOptions) => TestRequest;

const LOOPBACK = "127.0.0.1";

export const sendHttp1: SendRequest = (
  port,
  { method = "GET", path = "/", headers = {}, body, localAddress = LOOPBACK } = {},
) => {
  // Sets content-length explicitly, because Node.js adds none to a DELETE request.
  const isSized = body !== undefined && body !== "open" && !("transfer-encoding" in headers);
  const sent = requestHttp1({
    port,
    host: LOOPBACK,
    method,
    path,
    headers: { ...(isSized && { "content-length": Buffer.byteLength(body) }), ...headers },
    agent: false,
    localAddress,
  });
  let isContinued = false;
  sent.on("continue", () => {
    isContinued = true;
  });
  sent.on("error", () => {});
  const response = headOf(sent).then(([message]) => {
    const received = message as IncomingMessage;
    received.on("error", () => {});
    return { status: Number(received.statusCode), headers: received.headers, body: received };
  });
  response.catch(() => {});
  const readResponse = async () => {
    const { status, headers, body: received } = await response;
    return { status, headers, body: await text(received), trailers: received.trailers };
  };
  if (body === undefined) sent.end();
  else if (body === "open") sent.flushHeaders();
  else sent.end(body);
  return { body: sent, readResponse, response, isContinued: () => isContinued, destroy: () => sent.destroy() };
};

export const sendHttp2: SendRequest = (
  port,
  { method = "GET", path = "/", headers = {}, body, localAddress = LOOPBACK } = {},
) => {
  const session: ClientHttp2Session = connectHttp2(`http://127.0.0.1:${port}`, {
    createConnection: () => connect({ port, host: LOOPBACK, localAddress }),
  });
  session.on("error", () => {});
  const stream = session.request({ ":method": method, ":path": path, ...headers }, { endStream: body === undefined });
  let isContinued = false;
  let trailers: IncomingHttpHeaders = {};
  stream.on("continue", () => {
    isContinued = true;
  });
  stream.on("trailers", (fields) => {
    trailers = fields;
  });
  stream.on("error", () => {});
  stream.on("close", () => session.close());
  const response = headOf(stream).then(([head]) => {
    const fields = head as IncomingHttpHeaders & { readonly ":status": number };
    return { status: fields[":status"], headers: fields, body: stream };
  });
  response.catch(() => {});
  const readResponse = async () => {
    const { status, headers } = await response;
    const received = await text(stream);
    if (stream.rstCode !== 0) throw new Error(`reset with ${stream.rstCode}`);
    return { status, headers, body: received, trailers };
  };
  if (body !== undefined && body !== "open") stream.end(body);
  return { body: stream, readResponse, response, isContinued: () => isContinued, destroy: () => session.destroy() };
};

/** Resolves with the arguments of the "response" event. Rejects if the request closes before that event. */
function headOf(source: EventEmitter): Promise<unknown[]> {
  const gone = new AbortController();
  source.once("close", () => gone.abort());
  const head = once(source, "response", { signal: gone.signal });
  // Tests that ignore the response must not fail with an unhandled rejection.
  head.catch(() => {});
  return head;
}
