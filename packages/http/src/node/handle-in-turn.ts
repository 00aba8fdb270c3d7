import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** The number of requests per connection that wait for earlier responses. */
const waiting = new WeakMap<Socket, number>();

/**
 * Handles an HTTP/1.1 request after the earlier requests of its connection have their responses (RFC 9112 section 9.3.2). Pauses the
 * connection while a request waits, because Node would read pipelined requests and bodies without limit.
 *
 * @param handle is not called if the connection closes first.
 */
export function handleInTurn(request: IncomingMessage, response: ServerResponse, handle: () => void): void {
  const { socket } = request;
  // Node resumes the socket to read the body.
  request.once("end", () => waiting.get(socket) && socket.pause());
  // Node assigns the socket to a response when its turn comes.
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
