/*
 * All that this package uses of `pg` beyond its documented interface. `driver-internals.test.ts` fails when a release of `pg` changes it.
 */
import pg from "pg";
import { prepareValue } from "pg/lib/utils.js";

/** A value as it is sent: in the text form of its type, or as bytes; null for SQL's null. */
export type WireValue = string | Buffer | null;

/**
 * The form in which `pg` sends a value.
 *
 * @throws what `pg` throws for a value that it cannot send.
 */
export function wireValue(value: unknown): WireValue {
  return typeof value === "string" ? value : prepareValue(value);
}

/** Messages of errors that `pg` and its pool make themselves, without a code, where the server cannot be reached. */
export const UNREACHABLE_MESSAGE =
  /^(?:Connection terminated|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/;

/** The members of a client that its types do not have. */
interface ClientInternals {
  readonly connection: pg.Connection;
  readonly processID: number | null;
  readonly secretKey: number | null;
  readonly ssl: unknown;
  readonly sslNegotiation: unknown;
}

/** The members of a connection that its types do not have. */
interface ConnectionInternals extends pg.Connection {
  connect(port: number, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
}

/** The socket of a connected client. */
export function socketOf(client: pg.Client): pg.Connection["stream"] {
  return internalsOf(client).connection.stream;
}

/** Takes over what the server sends to a connected client: `pg` reads nothing more of it. */
export function takeOverSocket(client: pg.Client, onData: (bytes: Buffer) => void): pg.Connection["stream"] {
  const socket = socketOf(client);
  socket.removeAllListeners("data");
  socket.on("data", onData);
  return socket;
}

/** Calls back for each parameter that the server reports while a client connects, and later. */
export function onServerParameter(client: pg.Client, listener: (name: string, value: string) => void): void {
  internalsOf(client).connection.on(
    "parameterStatus" as never,
    (({ parameterName, parameterValue }: { parameterName: string; parameterValue: string }) =>
      listener(parameterName, parameterValue)) as never,
  );
}

/**
 * Opens a connection that asks the server to cancel the statement of a client's session; the server closes it then.
 *
 * @returns undefined if the client is not connected.
 */
export function openCancelConnection(client: pg.Client): pg.Connection | undefined {
  const { processID, secretKey, ssl, sslNegotiation } = internalsOf(client);
  if (processID === null || secretKey === null) return undefined;
  const connection = new pg.Connection({ ssl, sslNegotiation } as never) as ConnectionInternals;
  const cancel = () => connection.cancel(processID, secretKey);
  connection.on("connect", ssl ? () => sslNegotiation === "direct" || connection.requestSsl() : cancel);
  connection.on("sslconnect", cancel);
  if (client.host.startsWith("/")) connection.connect(`${client.host}/.s.PGSQL.${client.port}` as never);
  else connection.connect(client.port, client.host);
  return connection;
}

function internalsOf(client: pg.Client): ClientInternals {
  return client as unknown as ClientInternals;
}
