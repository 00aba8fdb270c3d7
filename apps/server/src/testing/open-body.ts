import type { TestResponse } from "./http-client.js";
import { type HttpVersion, SEND_REQUEST_BY_VERSION } from "./http-request.js";

export interface BodyVariant {
  readonly name: string;
  readonly version: HttpVersion;
  readonly contentType: string;
  /** Whether requests use the RPC paths instead of the JSON paths. */
  readonly isRpc: boolean;
  /** Whether each message has an envelope. */
  readonly isEnveloped: boolean;
}

/** The combinations of protocol and HTTP version in which tests send requests with a body. */
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

export interface BodyAnswer {
  readonly status: number;
  /** Headers and trailers. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** The error reason; empty if there is none. */
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
  abandon(): void;
}

export interface BodyTarget {
  readonly port: number;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly localAddress?: string;
}

export function openBody({ version, contentType }: BodyVariant, target: BodyTarget): OpenBody {
  const { port, path, headers, localAddress } = target;
  const { body, readResponse, destroy } = SEND_REQUEST_BY_VERSION[version](port, {
    method: "POST",
    path,
    headers: { "content-type": contentType, ...headers },
    body: "open",
    ...(localAddress !== undefined && { localAddress }),
  });
  const answer = readResponse().then(answerOf);
  // Prevents an unhandled rejection in tests that do not await the response.
  answer.catch(() => {});
  return { answer, send: (bytes) => void body.write(bytes), end: () => void body.end(), abandon: destroy };
}

function answerOf({ status, headers: head, trailers, body: text }: TestResponse): BodyAnswer {
  const headers: BodyAnswer["headers"] = { ...head, ...trailers };
  const message = decodeURIComponent(String(headers["grpc-message"] ?? ""));
  // The trailers of gRPC-Web are in the body, except in responses without messages.
  const [, inBody = ""] = /^grpc-status-details-bin: ?(\S+)/im.exec(text) ?? [];
  const details = Buffer.from(String(headers["grpc-status-details-bin"] ?? inBody), "base64").toString("latin1");
  const [reason = ""] = /\b(?:OVERLOADED|BODY_TOO_LARGE|FIELD_INVALID|REQUEST_TIMEOUT)\b/.exec(details + text) ?? [];
  return { status, headers, reason, text: `${message}${text}${details}` };
}

function way(name: string, version: HttpVersion, contentType: string, isRpc: boolean): BodyVariant {
  return { name, version, contentType, isRpc, isEnveloped: contentType.startsWith("application/grpc") };
}
