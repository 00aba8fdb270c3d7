import { once } from "node:events";
import { connect } from "node:net";
import { uniqueToken } from "./request-fields.js";

/** A POST request whose head the server has read, and whose body is not sent yet. */
export interface StartedRequest {
  /** Sends the body and returns the bytes of the response. */
  finish(): Promise<string>;
  /** Closes the connection. */
  abandon(): void;
}

/** Sends the head of a request that creates an account, over a new connection. */
export async function beginRequest(port: number): Promise<StartedRequest> {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  const body = JSON.stringify({ account_token: uniqueToken() });
  socket.write(
    `POST /call_tracking/accounts HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nexpect: 100-continue\r\ncontent-length: ${body.length}\r\n\r\n`,
  );
  const until = async (pattern: RegExp) => {
    while (!pattern.test(text) && !socket.closed) await Promise.race([once(socket, "data"), once(socket, "close")]);
    return text;
  };
  await until(/100 Continue/);
  return {
    finish() {
      socket.write(body);
      return until(/\r\n\r\n\{.*\}$/s);
    },
    abandon: () => socket.destroy(),
  };
}
