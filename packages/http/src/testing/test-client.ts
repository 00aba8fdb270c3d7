import { type EventEmitter, once } from "node:events";
import { type IncomingHttpHeaders, type IncomingMessage, request as sendHttp1 } from "node:http";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import type { Readable, Writable } from "node:stream";

/** A response as a client gets it. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly trailers: IncomingHttpHeaders;
  readonly body: string;
}

/** A request that has begun. */
export interface TestRequest {
  /** For the rest of the body. */
  readonly body: Writable;
  /** Reads the response; rejects if it is cut off. */
  answer(): Promise<TestAnswer>;
  /** The status and headers of the response, and its body unread. */
  readonly response: Promise<Pick<TestAnswer, "status" | "headers"> & { readonly body: Readable }>;
  /** Whether the server has sent 100 (Continue). */
  isContinued(): boolean;
  /** Goes away. */
  destroy(): void;
}

/** A request that is to be sent; without a body it is complete. */
export interface TestRequestOptions {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** "open" for one that is written piece by piece. */
  readonly body?: string | Buffer | "open";
}

/** Begins requests at a port, each over a connection of its own. */
export type BeginRequest = (port: number, options?: TestRequestOptions) => TestRequest;

/** Begins a request with Node's HTTP/1.1 client. */
export const beginHttp1: BeginRequest = (port, { method = "GET", path = "/", headers = {}, body } = {}) => {
  const sent = sendHttp1({ port, host: "127.0.0.1", method, path, headers: { ...headers }, agent: false });
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
  const answer = async () => {
    const { status, headers, body: received } = await response;
    return { status, headers, body: await readText(received), trailers: received.trailers };
  };
  if (body === undefined) sent.end();
  else if (body === "open") sent.flushHeaders();
  else sent.end(body);
  return { body: sent, answer, response, isContinued: () => isContinued, destroy: () => sent.destroy() };
};

/** Begins a request with Node's HTTP/2 client. */
export const beginHttp2: BeginRequest = (port, { method = "GET", path = "/", headers = {}, body } = {}) => {
  const session: ClientHttp2Session = connectHttp2(`http://127.0.0.1:${port}`);
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
  const answer = async () => {
    const { status, headers } = await response;
    const text = await readText(stream);
    if (stream.rstCode !== 0) throw new Error(`reset with ${stream.rstCode}`);
    return { status, headers, body: text, trailers };
  };
  if (body !== undefined && body !== "open") stream.end(body);
  return { body: stream, answer, response, isContinued: () => isContinued, destroy: () => session.destroy() };
};

async function readText(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** What the event "response" has; rejects if there is none. */
function headOf(source: EventEmitter): Promise<unknown[]> {
  const gone = new AbortController();
  source.once("close", () => gone.abort());
  const head = once(source, "response", { signal: gone.signal });
  // A test that does not look at it does not care.
  head.catch(() => {});
  return head;
}
