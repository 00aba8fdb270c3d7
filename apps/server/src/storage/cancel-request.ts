import pg from "pg";

/** What `pg` knows of a session, beyond its types. */
interface Session {
  readonly processID: number | null;
  readonly secretKey: number | null;
  readonly ssl: unknown;
  readonly sslNegotiation: unknown;
}

/** As much of a connection of `pg` as it takes. */
interface CancelConnection extends pg.Connection {
  connect(port: number, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
}

const TIMEOUT_MS = 5000;

/**
 * Asks the server to cancel what a session runs at the moment, if anything. It may have ended by then; the session itself stays.
 *
 * @returns a promise that resolves when the server has passed that on, or cannot be asked: what the session runs from then on
 * is not cancelled by it. It never rejects.
 * See https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS
 */
export function sendCancelRequest(client: pg.Client): Promise<void> {
  const { processID, secretKey, ssl, sslNegotiation } = client as unknown as Session;
  if (processID === null || secretKey === null) return Promise.resolve();
  const connection = new pg.Connection({ ssl, sslNegotiation } as never) as CancelConnection;
  return new Promise((resolve) => {
    const timer = setTimeout(() => connection.stream.destroy(), TIMEOUT_MS);
    const cancel = () => connection.cancel(processID, secretKey);
    connection.on("connect", ssl ? () => sslNegotiation === "direct" || connection.requestSsl() : cancel);
    connection.on("sslconnect", cancel);
    connection.on("error", () => connection.stream.destroy());
    // The server closes it without a word.
    connection.on("end", () => {
      clearTimeout(timer);
      resolve();
    });
    if (client.host.startsWith("/")) connection.connect(`${client.host}/.s.PGSQL.${client.port}` as never);
    else connection.connect(client.port, client.host);
  });
}
