import type pg from "pg";
import { openCancelConnection } from "./driver-internals.js";

const TIMEOUT_MS = 5000;

/**
 * Asks the server to cancel the statement that a session runs, if any; the session itself stays. Does nothing if the client is not
 * connected.
 *
 * @returns a promise that resolves when the server has passed the request on, or cannot be asked: it cannot cancel a statement that
 * is sent later. It never rejects.
 * See https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS
 */
export function sendCancelRequest(client: pg.Client): Promise<void> {
  const connection = openCancelConnection(client);
  if (connection === undefined) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => connection.stream.destroy(), TIMEOUT_MS);
    connection.on("error", () => connection.stream.destroy());
    // The server closes it without an answer.
    connection.on("end", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
