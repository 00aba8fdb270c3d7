import { connect, type Socket } from "node:net";
import type { LoadRequest } from "../workloads/workload.ts";
import type { Lane, OnAnswer, OnFailure } from "./lane.ts";

const HEAD_END = Buffer.from("\r\n\r\n");

/** A prepared request. */
export interface Http1Request {
  readonly bytes: Buffer;
  /** Expected status, if it differs from that of the other requests. */
  readonly status: number | undefined;
}

/**
 * Opens an HTTP/1.1 connection.
 *
 * @param requests prepared by `prepareHttp1Request`.
 * @param status expected status of requests without one.
 * @param refusal status of a permitted rejection; if absent, no request may be rejected.
 */
export async function openHttp1Lane(
  port: number,
  requests: readonly Http1Request[],
  status: number,
  fail: OnFailure,
  refusal?: number,
): Promise<Lane> {
  const socket = await open(port);
  let received: Buffer | undefined;
  let waiting: OnAnswer = () => {};
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

/** Prepares a request. */
export function prepareHttp1Request(
  { method, path, body, authorization, status }: LoadRequest,
  port: number,
): Http1Request {
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

/** Returns whether a response is complete. */
function isWhole(received: Buffer): boolean {
  const headEnd = received.indexOf(HEAD_END);
  if (headEnd < 0) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(received.toString("latin1", 0, headEnd));
  if (length !== null) return received.length >= headEnd + 4 + Number(length[1]);
  // A response without a length is chunked; its last chunk is empty.
  return received.toString("latin1", received.length - 5) === "0\r\n\r\n";
}
