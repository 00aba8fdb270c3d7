import { once } from "node:events";
import * as http from "node:http";
import * as http2 from "node:http2";
import { Readable, type Writable } from "node:stream";
import { createNodeHandler, createNodeStreamHandler, type NodeHandlerOptions } from "../node/node-handler.js";
import type { Transcoder } from "../transcoder/transcoder.js";
import { collect } from "./conformance.js";
import { createLibrary } from "./library.js";
import { type ListeningServer, listen } from "./listen.js";

export interface TestRequest {
  readonly method?: string;
  /** The request target, sent unchanged. */
  readonly target: string;
  /** Headers, keyed by name. A list is sent as several lines. */
  readonly headers?: Record<string, string | string[]>;
  /** The body. An iterable is sent piece by piece. */
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array> | undefined;
  /** Called when the server has sent 100 (Continue). */
  readonly onContinue?: () => void;
}

/** A response whose body is still being received. */
export interface OpenResponse {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: AsyncIterable<Uint8Array>;
  /** The trailers. Empty until the body has been read. */
  readonly trailers: Record<string, string | string[] | undefined>;
  /** Disconnects without reading the rest of the body. */
  abort(): void;
}

/** A response whose body has been received completely. */
export interface TestResponse extends Pick<OpenResponse, "status" | "headers" | "trailers"> {
  readonly bytes: Uint8Array;
  readonly text: string;
  /** The error in a body in AIP-193 format; undefined for other bodies. */
  // biome-ignore lint/suspicious/noExplicitAny: JSON of an error, which tests compare
  readonly error: any;
}

/** A running server and its client. */
export interface TestServer extends AsyncDisposable {
  open(request: TestRequest, signal?: AbortSignal): Promise<OpenResponse>;
  send(request: TestRequest): Promise<TestResponse>;
}

/** An HTTP version over which a transcoder is served. Transcoders behave the same over all versions. */
export interface TestRuntime {
  readonly name: string;
  serve(transcoder: Transcoder, options?: TestServerOptions): Promise<TestServer>;
  serveLibrary(...library: Parameters<typeof createLibrary>): Promise<TestServer>;
}

type TestServerOptions = Pick<NodeHandlerOptions, "contextValues">;

export const testRuntimes: readonly TestRuntime[] = [
  createRuntime("HTTP/1.1", serveHttp1),
  createRuntime("HTTP/2", serveHttp2),
];

function createRuntime(name: string, serve: TestRuntime["serve"]): TestRuntime {
  return { name, serve, serveLibrary: (...library) => serve(createLibrary(...library)) };
}

async function serveHttp1(transcoder: Transcoder, options: TestServerOptions = {}): Promise<TestServer> {
  return connectHttp1(await listen(http.createServer(createNodeHandler(transcoder, options))));
}

export function connectHttp1(server: ListeningServer): TestServer {
  const { port } = server;
  const agent = new http.Agent({ keepAlive: true });
  const open: TestServer["open"] = async ({ method = "GET", target, headers = {}, body, onContinue }, signal) => {
    const isWhole = typeof body === "string" || body instanceof Uint8Array;
    const length = isWhole ? { "content-length": String(Buffer.byteLength(body)) } : {};
    const options = { host: "127.0.0.1", port, method, path: target, headers: { ...length, ...headers }, agent };
    const request = http.request({ ...options, ...(signal && { signal }) });
    if (onContinue !== undefined) request.on("continue", onContinue);
    sendBody(request, body);
    const [response] = (await once(request, "response")) as [http.IncomingMessage];
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: response,
      trailers: response.trailers,
      abort: () => request.destroy(),
    };
  };
  return withSend(open, async () => {
    agent.destroy();
    await server[Symbol.asyncDispose]();
  });
}

async function serveHttp2(transcoder: Transcoder, options: TestServerOptions = {}): Promise<TestServer> {
  return connectHttp2(await listen(http2.createServer().on("stream", createNodeStreamHandler(transcoder, options))));
}

export function connectHttp2(server: ListeningServer): TestServer {
  // This option lets the client send several lines of If-Match. Node's types do not contain the option.
  const lenient: object = { strictSingleValueFields: false };
  const session = http2.connect(server.url, lenient);
  const open: TestServer["open"] = async ({ method = "GET", target, headers = {}, body, onContinue }, signal) => {
    const head = { ":method": method, ":path": target, ...headers };
    const stream = session.request(head, { endStream: body === undefined, ...(signal && { signal }) });
    stream.on("error", () => {});
    if (onContinue !== undefined) stream.on("continue", onContinue);
    if (body !== undefined) sendBody(stream, body);
    const trailers = {};
    stream.on("trailers", (received) => Object.assign(trailers, received));
    // Aborts the wait for a response when the stream closes, because a stream that the server cancels emits no error.
    const gone = new AbortController();
    stream.once("close", () => gone.abort());
    const [received] = (await once(stream, "response", { signal: gone.signal })) as [
      http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader,
    ];
    return {
      status: Number(received[":status"]),
      headers: received,
      body: untilReset(stream),
      trailers,
      abort: () => stream.close(http2.constants.NGHTTP2_CANCEL),
    };
  };
  return withSend(open, async () => {
    session.destroy();
    await server[Symbol.asyncDispose]();
  });
}

/** Yields the body of a response. Throws at the end of the body if the server has reset the stream. */
async function* untilReset(stream: http2.ClientHttp2Stream): AsyncIterable<Uint8Array> {
  yield* stream;
  if (stream.rstCode !== http2.constants.NGHTTP2_NO_ERROR) throw new Error(`reset with ${stream.rstCode}`);
}

function sendBody(sink: Writable, body: TestRequest["body"]): void {
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) sink.end(body);
  else
    Readable.from(body)
      .on("error", () => {})
      .pipe(sink);
}

function withSend(open: TestServer["open"], close: () => Promise<void>): TestServer {
  return {
    open,
    async send(request) {
      const { status, headers, trailers, body } = await open(request);
      const bytes = Buffer.concat(await collect(body));
      const text = bytes.toString("utf8");
      const error = text.startsWith('{"error":') ? JSON.parse(text).error : undefined;
      return { status, headers, trailers, bytes, text, error };
    },
    [Symbol.asyncDispose]: close,
  };
}
