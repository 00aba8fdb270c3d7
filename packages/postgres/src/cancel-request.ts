import type pg from "pg";
import { openCancelConnection } from "./driver-internals.js";

const TIMEOUT_MS = 5000;

/**
 * Asks the server to cancel the statement that a session runs, if any. The session stays open. Does nothing if the client is not
 * connected.
 *
 * Resolves when the server has handled the request or cannot be reached. After that, the request cannot cancel a later statement.
 * Never rejects.
 *
 * See https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS
 */
export function sendCancelRequest(client: pg.Client): Promise<void> {
  const connection = openCancelConnection(client);
  if (connection === undefined) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => connection.stream.destroy(), TIMEOUT_MS);
    connection.on("error", () => connection.stream.destroy());
    // The server closes the connection without a response.
    connection.on("end", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
