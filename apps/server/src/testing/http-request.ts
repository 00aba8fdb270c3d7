import { once } from "node:events";
import { type IncomingHttpHeaders, request as requestHttp1 } from "node:http";
import { type ClientHttp2Session, connect, constants } from "node:http2";

/** A raw request: nothing is resolved, encoded or added. */
export interface HttpRequest {
  /** Default: GET. */
  readonly method?: string;
  /** The path and query. */
  readonly target: string;
  /** Default: none; a text or binary body then has no content type. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Text and bytes are sent unchanged, other values as JSON with its content type. */
  readonly body?: unknown;
}

/** A complete response. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** The HTTP versions that the server supports on its port. */
export const HTTP_VERSIONS = ["HTTP/1.1", "HTTP/2"] as const;

export type HttpVersion = (typeof HTTP_VERSIONS)[number];

/** Sends a request over a new connection. The response may arrive before the whole body is sent. */
export function sendHttp(version: HttpVersion, port: number, request: HttpRequest): Promise<HttpAnswer> {
  return version === "HTTP/1.1" ? sendHttp1(port, request) : sendHttp2(port, request);
}

function sendHttp1(port: number, { method = "GET", target, ...message }: HttpRequest): Promise<HttpAnswer> {
  const { headers, body } = encode(message);
  return new Promise((resolve, reject) => {
    // Node.js adds no content-length to a DELETE request.
    const framing = body !== undefined &&
      !("transfer-encoding" in headers) && { "content-length": Buffer.byteLength(body) };
    const request = requestHttp1({
      host: "127.0.0.1",
      port,
      method,
      path: target,
      headers: { ...framing, ...headers },
      agent: false,
    });
    request.once("response", (response) => {
      readText(response).then(
        (text) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        reject,
      );
    });
    request.on("error", reject);
    request.end(body);
  });
}

async function sendHttp2(port: number, request: HttpRequest): Promise<HttpAnswer> {
  const session = connect(`http://127.0.0.1:${port}`);
  try {
    return await sendOnSession(session, request);
  } finally {
    session.close();
  }
}

async function sendOnSession(
  session: ClientHttp2Session,
  { method = "GET", target, ...message }: HttpRequest,
): Promise<HttpAnswer> {
  const { headers, body } = encode(message);
  const pseudoHeaders = { [constants.HTTP2_HEADER_METHOD]: method, [constants.HTTP2_HEADER_PATH]: target };
  const stream = session.request({ ...headers, ...pseudoHeaders }, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  const [answer] = (await once(stream, "response")) as [IncomingHttpHeaders & { ":status"?: number }];
  return { status: answer[":status"] ?? 0, headers: answer, text: await readText(stream) };
}

/** Reads a stream as UTF-8 text. */
export async function readText(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function encode({ headers = {}, body }: Pick<HttpRequest, "headers" | "body">) {
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) return { headers, body };
  return { headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) };
}
