import { type SendRequest, sendHttp1, sendHttp2, type TestResponse } from "./http-client.js";

/** A request whose target, headers and text or binary body are sent unchanged. */
export interface HttpRequest {
  /** Default: GET. */
  readonly method?: string;
  /** The path and query. */
  readonly target: string;
  /** Default: no headers, so a text or binary body is sent without a content type. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Text and bytes are sent unchanged. Other values are sent as JSON with the content type `application/json`. */
  readonly body?: unknown;
}

export interface HttpAnswer extends Pick<TestResponse, "status" | "headers"> {
  readonly text: string;
}

export const HTTP_VERSIONS = ["HTTP/1.1", "HTTP/2"] as const;

export type HttpVersion = (typeof HTTP_VERSIONS)[number];

export const SEND_REQUEST_BY_VERSION: Readonly<Record<HttpVersion, SendRequest>> = {
  "HTTP/1.1": sendHttp1,
  "HTTP/2": sendHttp2,
};

/** Sends a request over a new connection. The response may arrive before the whole body is sent. */
export async function sendHttp(
  version: HttpVersion,
  port: number,
  { target, ...message }: HttpRequest,
): Promise<HttpAnswer> {
  const request = SEND_REQUEST_BY_VERSION[version](port, { path: target, ...encode(message) });
  const { body: text, ...head } = await request.readResponse();
  return { ...head, text };
}

function encode({ headers = {}, body, ...rest }: Omit<HttpRequest, "target">) {
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) return { headers, body, ...rest };
  return { headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body), ...rest };
}
