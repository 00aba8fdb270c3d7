import { API } from "@calltrack/domain";
import type { BodyReceiver, HttpHeaders, HttpRequest, HttpResponse } from "@calltrack/transcoding";
import type { RpcHandler } from "@calltrack/transcoding/rpc";
import type { ContextValues } from "@connectrpc/connect";
import { INFRASTRUCTURE_SERVICES } from "../../grpc-services/infrastructure-services.js";
import type { GrpcReceiver, GrpcStream } from "../../observability/requests/grpc-stream.js";
import { isUsableHost } from "../http1/usable-host.js";

// RFC 9113 section 7.
const INTERNAL_ERROR = 2;

const UNARY: ReadonlySet<string> = new Set(
  [...API, ...INFRASTRUCTURE_SERVICES].flatMap(({ typeName, methods }) =>
    methods.filter(({ methodKind }) => methodKind === "unary").map(({ name }) => `/${typeName}/${name}`),
  ),
);

/**
 * Creates what serves plain unary gRPC calls on streams of HTTP/2. Returns false for any other stream, which is served as a request.
 */
export function createGrpcStreamHandler(
  rpc: RpcHandler,
  contextValues: (stream: GrpcStream) => ContextValues,
): (stream: GrpcStream) => boolean {
  return (stream) => {
    if (!isPlainCall(stream)) return false;
    const request = new GrpcStreamRequest(stream, contextValues(stream));
    const answer = rpc.handle(request);
    if (answer === undefined) return false;
    answer.then((response) => send(stream, request, response)).catch(() => stream.reset(INTERNAL_ERROR));
    return true;
  };
}

function isPlainCall({ headers }: GrpcStream): boolean {
  const { "content-type": type, "grpc-encoding": encoding, ":authority": authority, ":path": path = "" } = headers;
  return (
    (type === "application/grpc" || type === "application/grpc+proto") &&
    headers[":method"] === "POST" &&
    (encoding === undefined || encoding === "identity") &&
    authority !== undefined &&
    isUsableHost(authority) &&
    UNARY.has(path)
  );
}

class GrpcStreamRequest implements HttpRequest, GrpcReceiver {
  readonly httpVersion = "2.0";
  readonly method = "POST";
  readonly codings = [];
  readonly hasBody = true;
  readonly body = undefined;
  readonly contextValues: ContextValues;
  readonly #stream: GrpcStream;
  #receiver: BodyReceiver | undefined;
  #onGone: (() => void) | undefined;

  constructor(stream: GrpcStream, contextValues: ContextValues) {
    this.#stream = stream;
    this.contextValues = contextValues;
  }

  get target(): string {
    return this.#stream.headers[":path"] ?? "";
  }

  get origin(): string {
    const { headers } = this.#stream;
    return `${headers[":scheme"]}://${headers[":authority"]}`;
  }

  header(name: string): string | undefined {
    const value = this.#stream.headers[name];
    return typeof value === "object" ? value.join(", ") : value;
  }

  *headerEntries(): Iterable<readonly [string, string]> {
    const { headers } = this.#stream;
    yield ["host", headers[":authority"] ?? ""];
    for (const name of Object.keys(headers)) {
      if (name.startsWith(":") || name === "host") continue;
      for (const value of [headers[name] ?? []].flat()) yield [name, value];
    }
  }

  receive(receiver: BodyReceiver): void {
    this.#receiver = receiver;
    this.#stream.receive(this);
  }

  consume(bytes: number): void {
    this.#stream.consume(bytes);
  }

  onGone(listener: () => void): () => void {
    this.#onGone = listener;
    if (this.#stream.isClosed) listener();
    return () => {
      this.#onGone = undefined;
    };
  }

  onData(chunk: Buffer): void {
    this.#receiver?.onData(chunk);
  }

  onEnd(): void {
    this.#receiver?.onEnd();
    this.#receiver = undefined;
  }

  onClose(): void {
    this.#receiver?.onAbort(undefined);
    this.#onGone?.();
  }
}

function send(stream: GrpcStream, request: GrpcStreamRequest, response: HttpResponse): void {
  const { status, headers, ownHeaders, body, trailers } = response;
  if (stream.isClosed) {
    // The body may not have been read yet: the observer of the stream learns of its end as a receiver.
    stream.receive(request);
  } else if (body === undefined) {
    stream.sendHeaders(createFields({ ":status": String(status), ...headers }), true);
  } else {
    const own = ownHeaders && createFields(ownHeaders);
    stream.answer(headersOf(headers), body as Uint8Array, trailersOf(trailers?.() ?? {}), own);
  }
}

/** Objects that are frozen are the same for many responses. */
function cached(create: (headers: HttpHeaders) => readonly string[]): (headers: HttpHeaders) => readonly string[] {
  const lists = new WeakMap<HttpHeaders, readonly string[]>();
  return (headers) => {
    if (!Object.isFrozen(headers)) return create(headers);
    const known = lists.get(headers);
    if (known !== undefined) return known;
    const list = Object.freeze(create(headers));
    lists.set(headers, list);
    return list;
  };
}

/** The responses of gRPC that have a body are 200. */
const headersOf = cached((headers) => createFields({ ":status": "200", ...headers }));
const trailersOf = cached(createFields);

/** Names and values in turn. */
function createFields(headers: HttpHeaders): readonly string[] {
  const fields: string[] = [];
  for (const name in headers) {
    for (const value of [headers[name] ?? []].flat()) fields.push(name, value);
  }
  return fields;
}
