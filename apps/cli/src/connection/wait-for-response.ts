import type { ClientRequest, IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/**
 * Waits for the response to a request. Rejects with the error of the connection. Errors after the response are ignored, because the response has them
 * too.
 *
 * A response with the status 101, or to a CONNECT request, has no body. Node.js emits other events for such responses, and would otherwise close the
 * connection without an error.
 */
export function waitForResponse(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const resolveWithoutBody = (response: IncomingMessage, socket: Socket) => {
      socket.destroy();
      response.push(null);
      resolve(response);
    };
    sent.once("response", resolve).once("upgrade", resolveWithoutBody).once("connect", resolveWithoutBody);
    sent.on("error", reject);
  });
}
