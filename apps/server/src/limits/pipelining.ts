import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** How many requests of a connection wait for the answer to one before them. */
const waiting = new WeakMap<Socket, number>();

/**
 * Reads no more of a connection of HTTP/1.1 while a request of it waits for the answer to one before it (RFC 9112 section 9.3.2).
 * Node would take in as many as come, each with its body.
 */
export function boundPipelining(request: IncomingMessage, response: ServerResponse): void {
  // Whose turn it is has the socket already, which is true of all where nobody pipelines.
  if (response.socket !== null) return;
  const { socket } = request;
  waiting.set(socket, (waiting.get(socket) ?? 0) + 1);
  // To read its body, Node reads on.
  const pause = () => waiting.get(socket) && socket.pause();
  request.once("end", pause);
  pause();
  response.once("close", () => {
    const left = (waiting.get(socket) ?? 1) - 1;
    waiting.set(socket, left);
    if (left === 0) socket.resume();
  });
}
