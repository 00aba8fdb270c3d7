import { once } from "node:events";
import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp1 } from "node:http";
import { connect, constants } from "node:http2";
import { type HttpAnswer, type HttpVersion, readText } from "./http-request.js";

/** A request whose headers include `Expect: 100-continue` and the length of the body. */
export interface ExpectContinueRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent when the server responds with 100. */
  readonly body?: string;
}

/** The response, and whether the server sent 100 Continue before it. */
export interface ExpectContinueAnswer extends HttpAnswer {
  readonly wasContinued: boolean;
}

/** Sends the head of a request over a new connection, and the body after the server responds with 100 Continue. */
export function sendExpectContinue(
  version: HttpVersion,
  port: number,
  request: ExpectContinueRequest,
): Promise<ExpectContinueAnswer> {
  return version === "HTTP/1.1" ? sendOverHttp1(port, request) : sendOverHttp2(port, request);
}

async function sendOverHttp1(
  port: number,
  { method, target, headers, body }: ExpectContinueRequest,
): Promise<ExpectContinueAnswer> {
  const request = requestHttp1({ host: "127.0.0.1", port, method, path: target, headers, agent: false });
  let wasContinued = false;
  request.once("continue", () => {
    wasContinued = true;
    request.end(body);
  });
  request.flushHeaders();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const text = await readText(response);
  request.destroy();
  return { status: response.statusCode ?? 0, headers: response.headers, text, wasContinued };
}

async function sendOverHttp2(
  port: number,
  { method, target, headers, body }: ExpectContinueRequest,
): Promise<ExpectContinueAnswer> {
  const session = connect(`http://127.0.0.1:${port}`);
  const pseudoHeaders = { [constants.HTTP2_HEADER_METHOD]: method, [constants.HTTP2_HEADER_PATH]: target };
  const stream = session.request({ ...headers, ...pseudoHeaders }, { endStream: false });
  let wasContinued = false;
  stream.once("continue", () => {
    wasContinued = true;
    stream.end(body);
  });
  const [answer] = (await once(stream, "response")) as [IncomingHttpHeaders & { ":status"?: number }];
  const text = await readText(stream);
  session.destroy();
  return { status: answer[":status"] ?? 0, headers: answer, text, wasContinued };
}
