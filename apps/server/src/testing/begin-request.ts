import { once } from "node:events";
import { connect } from "node:net";
import { uniqueToken } from "./request-fields.js";

/** A POST that has begun: its head is sent and taken, its body is not. */
export interface BegunRequest {
  /** Sends the body, and gives the answer. */
  finish(): Promise<string>;
  abandon(): void;
}

/** Begins to create an account, over a connection of its own. */
export async function beginRequest(port: number): Promise<BegunRequest> {
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
