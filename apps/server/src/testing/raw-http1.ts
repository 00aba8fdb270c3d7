import { connect } from "node:net";
import { readAllText } from "./raw-connection.js";
import type { RawAnswer, RawFields } from "./raw-http2.js";

/** A request whose characters are sent as one byte each. */
export interface RawHttp1Request {
  readonly method: string;
  readonly target: string;
  readonly fields: RawFields;
  readonly body: string | undefined;
}

/** Sends pipelined requests over a new HTTP/1.1 connection, and returns the responses. */
export async function sendPipelined(port: number, requests: readonly RawHttp1Request[]): Promise<readonly RawAnswer[]> {
  const socket = connect(port, "127.0.0.1").setNoDelay();
  const received = readAllText(socket);
  requests.forEach((request, index) => {
    socket.write(formatRequest(request, index === requests.length - 1), "latin1");
  });
  return splitAnswers(await received);
}

function formatRequest({ method, target, fields, body }: RawHttp1Request, isLast: boolean): string {
  const own: RawFields = [
    ["host", "localhost"],
    ...(isLast ? ([["connection", "close"]] as const) : []),
    ...(body === undefined ? [] : ([["content-length", String(body.length)]] as const)),
  ];
  const lines = [...own, ...fields].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `${method} ${target} HTTP/1.1\r\n${lines}\r\n${body ?? ""}`;
}

function splitAnswers(text: string): readonly RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let at = 0; at < text.length; ) {
    const headEnd = text.indexOf("\r\n\r\n", at) + 4;
    const head = text.slice(at, headEnd);
    const length = Number(/\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1] ?? 0);
    answers.push({ status: Number(head.slice(9, 12)), text: text.slice(headEnd, headEnd + length) });
    at = headEnd + length;
  }
  return answers;
}
