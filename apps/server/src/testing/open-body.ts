import { once } from "node:events";
import { request as requestHttp1 } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";

/** A combination of protocol and HTTP version for requests with a body. */
export interface BodyVariant {
  readonly name: string;
  readonly version: "HTTP/1.1" | "HTTP/2";
  readonly contentType: string;
  /** Whether requests use the RPC paths and not the JSON paths. */
  readonly isRpc: boolean;
  /** Whether each message has an envelope. */
  readonly isEnveloped: boolean;
}

/** All combinations of protocol and HTTP version for requests with a body. */
export const BODY_VARIANTS: readonly BodyVariant[] = [
  way("JSON over HTTP/1.1", "HTTP/1.1", "application/json", false),
  way("JSON over HTTP/2", "HTTP/2", "application/json", false),
  way("Connect over HTTP/1.1", "HTTP/1.1", "application/proto", true),
  way("Connect over HTTP/2", "HTTP/2", "application/proto", true),
  way("gRPC", "HTTP/2", "application/grpc", true),
  way("gRPC with JSON", "HTTP/2", "application/grpc+json", true),
  way("gRPC-Web over HTTP/1.1", "HTTP/1.1", "application/grpc-web+proto", true),
  way("gRPC-Web over HTTP/2", "HTTP/2", "application/grpc-web+proto", true),
];

/** The response in any protocol. */
export interface BodyAnswer {
  /** The HTTP status. */
  readonly status: number;
  /** Headers and trailers. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** The reason of the error; empty if there is none. */
  readonly reason: string;
  /** The readable text of the response: error message, body and error details. */
  readonly text: string;
}

/** A request whose body is being sent. */
export interface OpenBody {
  /** Rejects if the connection ends without a response. */
  readonly answer: Promise<BodyAnswer>;
  send(bytes: Uint8Array): void;
  end(): void;
  /** Closes the connection. */
  abandon(): void;
}

/** The destination of a request, and its local address. */
export interface BodyTarget {
  readonly port: number;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly localAddress?: string;
}

/** Begins a request over a new connection. */
export function openBody(way: BodyVariant, target: BodyTarget): OpenBody {
  const body = way.version === "HTTP/1.1" ? openHttp1(way, target) : openHttp2(way, target);
  // Some tests do not await the response.
  body.answer.catch(() => {});
  return body;
}

/** Puts a message into an envelope of gRPC, gRPC-Web or a Connect stream. */
export function envelope(message: Uint8Array, flags = 0): Buffer {
  const prefix = Buffer.alloc(5, flags);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

function openHttp1({ contentType }: BodyVariant, { port, path, headers, localAddress }: BodyTarget): OpenBody {
  const request = requestHttp1({
    host: "127.0.0.1",
    port,
    path,
    method: "POST",
    agent: false,
    headers: { "content-type": contentType, ...headers },
    ...(localAddress && { localAddress }),
  });
  request.flushHeaders();
  const read = async (): Promise<BodyAnswer> => {
    const [response] = await once(request, "response");
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    return answerOf(response.statusCode, { ...response.headers, ...response.trailers }, Buffer.concat(chunks));
  };
  const answer = read();
  request.on("error", () => {});
  return {
    answer,
    send: (bytes) => void request.write(bytes),
    end: () => void request.end(),
    abandon: () => void request.destroy(),
  };
}

function openHttp2({ contentType }: BodyVariant, { port, path, headers, localAddress }: BodyTarget): OpenBody {
  const socket = connect({ port, host: "127.0.0.1", ...(localAddress && { localAddress }) });
  const session = connectHttp2(`http://127.0.0.1:${port}`, { createConnection: () => socket });
  session.on("error", () => {});
  const stream = session.request({ ":method": "POST", ":path": path, "content-type": contentType, ...headers });
  const read = async (): Promise<BodyAnswer> => {
    const trailers: Record<string, unknown> = {};
    stream.on("trailers", (received) => Object.assign(trailers, received));
    const chunks: Buffer[] = [];
    stream.on("data", (chunk) => chunks.push(chunk));
    // The stream stays open while the server discards the rest of a rejected body.
    const answered = Promise.race([once(stream, "end"), once(stream, "close")]);
    const [[received]] = await Promise.all([once(stream, "response"), answered]);
    session.close();
    return answerOf(received[":status"], { ...received, ...trailers }, Buffer.concat(chunks));
  };
  const answer = read();
  return {
    answer,
    send: (bytes) => void stream.write(bytes),
    end: () => void stream.end(),
    abandon: () => session.destroy(),
  };
}

function answerOf(status: number, headers: BodyAnswer["headers"], body: Buffer): BodyAnswer {
  const message = decodeURIComponent(String(headers["grpc-message"] ?? ""));
  const text = body.toString("latin1");
  // The trailers of gRPC-Web are in the body, except in responses without messages.
  const [, inBody = ""] = /^grpc-status-details-bin: ?(\S+)/im.exec(text) ?? [];
  const details = Buffer.from(String(headers["grpc-status-details-bin"] ?? inBody), "base64").toString("latin1");
  const [reason = ""] = /\b(?:OVERLOADED|BODY_TOO_LARGE|FIELD_INVALID|REQUEST_TIMEOUT)\b/.exec(details + text) ?? [];
  return { status, headers, reason, text: `${message}${text}${details}` };
}

function way(name: string, version: BodyVariant["version"], contentType: string, isRpc: boolean): BodyVariant {
  return { name, version, contentType, isRpc, isEnveloped: contentType.startsWith("application/grpc") };
}
