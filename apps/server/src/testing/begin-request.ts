import { expect } from "vitest";
import { RawConnection } from "./raw-connection.js";
import { uniqueToken } from "./request-fields.js";

/** A POST request whose head the server has read, and whose body is not sent yet. */
export interface StartedRequest {
  /** Sends the body and returns the bytes of the response. */
  finish(): Promise<string>;
  abandon(): void;
}

/** Sends the head of a request that creates an account, over a new connection. */
export async function beginRequest(port: number): Promise<StartedRequest> {
  const body = JSON.stringify({ account_token: uniqueToken() });
  const head =
    "POST /call_tracking/accounts HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nexpect: 100-continue";
  const connection = new RawConnection(port, `${head}\r\ncontent-length: ${body.length}\r\n\r\n`);
  await expect.poll(() => connection.text).toContain("100 Continue");
  return {
    async finish() {
      connection.socket.write(body);
      await expect.poll(() => connection.text).toMatch(/\r\n\r\n\{.*\}$/s);
      return connection.text;
    },
    abandon: () => connection.socket.destroy(),
  };
}
