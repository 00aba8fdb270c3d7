import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** The number of requests of a connection that wait for the response to one before them. */
const waiting = new WeakMap<Socket, number>();

/**
 * Handles a request of HTTP/1.1 when those before it on its connection are answered, and reads no more of the connection while one
 * waits (RFC 9112 section 9.3.2). Node would read as many as arrive, each with its body.
 *
 * @param handle is not called if the connection ends before.
 */
export function handleInTurn(request: IncomingMessage, response: ServerResponse, handle: () => void): void {
  const { socket } = request;
  // To read its body, Node reads on.
  request.once("end", () => waiting.get(socket) && socket.pause());
  // Without pipelining, the response has the socket already.
  if (response.socket !== null) {
    handle();
    return;
  }
  waiting.set(socket, (waiting.get(socket) ?? 0) + 1);
  socket.pause();
  response.once("socket", () => {
    const left = (waiting.get(socket) ?? 1) - 1;
    waiting.set(socket, left);
    if (left === 0) socket.resume();
    handle();
  });
}
