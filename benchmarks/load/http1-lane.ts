import { connect, type Socket } from "node:net";
import type { LoadRequest } from "../workloads/workload.ts";
import type { Answered, Fail, Lane } from "./lane.ts";

const HEAD_END = Buffer.from("\r\n\r\n");

/** A request that is made up beforehand. */
export interface Http1Request {
  readonly bytes: Buffer;
  /** The status of its answer, if not that of all others. */
  readonly status: number | undefined;
}

/**
 * Opens a connection of HTTP/1.1.
 *
 * @param requests as `http1Request` has made them up.
 * @param status the status of answers to requests that have none of their own.
 * @param refusal the status of an answer to a request that may be refused; without it, none may.
 */
export async function openHttp1Lane(
  port: number,
  requests: readonly Http1Request[],
  status: number,
  fail: Fail,
  refusal?: number,
): Promise<Lane> {
  const socket = await open(port);
  let received: Buffer | undefined;
  let waiting: Answered = () => {};
  let expected = "";
  let closed = false;
  socket.on("error", (error) => fail(`a connection failed: ${error.message}`));
  socket.on("close", () => closed || fail("the server closed a connection"));
  socket.on("data", (chunk) => {
    received = received === undefined ? chunk : Buffer.concat([received, chunk]);
    if (!isWhole(received)) return;
    const found = received.toString("latin1", 9, 12);
    const isExpected = found === expected;
    if (!isExpected && found !== String(refusal)) return fail(`an answer has status ${found}: ${received.toString()}`);
    received = undefined;
    waiting(isExpected);
  });
  return {
    send(turn, answered) {
      const request = requests[turn % requests.length] as Http1Request;
      waiting = answered;
      expected = String(request.status ?? status);
      socket.write(request.bytes);
    },
    close() {
      closed = true;
      socket.destroy();
    },
  };
}

/** Makes up a request. */
export function http1Request({ method, path, body, authorization, status }: LoadRequest, port: number): Http1Request {
  const headers = [`${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, "Accept: application/json"];
  if (authorization !== undefined) headers.push(`Authorization: ${authorization}`);
  if (body !== undefined) headers.push("Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`);
  return { bytes: Buffer.from(`${headers.join("\r\n")}\r\n\r\n${body ?? ""}`), status };
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true }, () => resolve(socket)).once("error", reject);
  });
}

/** Whether an answer has come to its end. */
function isWhole(received: Buffer): boolean {
  const headEnd = received.indexOf(HEAD_END);
  if (headEnd < 0) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(received.toString("latin1", 0, headEnd));
  if (length !== null) return received.length >= headEnd + 4 + Number(length[1]);
  // Without a length it is sent in chunks, of which the last is empty.
  return received.toString("latin1", received.length - 5) === "0\r\n\r\n";
}
