/*
 * Every use of undocumented behavior of `pg`. `driver-internals.test.ts` fails when a release of `pg` changes it.
 */
import pg from "pg";
import { prepareValue } from "pg/lib/utils.js";

/** An encoded value: the text form of its type, or bytes; null for SQL's null. */
export type WireValue = string | Buffer | null;

/**
 * Encodes a value as `pg` does.
 *
 * @throws the error of `pg` for a value that it cannot encode.
 */
export function toWireValue(value: unknown): WireValue {
  return typeof value === "string" ? value : prepareValue(value);
}

/** Messages of errors without a code that `pg` and its pool throw if the server cannot be reached. */
export const UNREACHABLE_MESSAGE =
  /^(?:Connection terminated|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/;

/** The members of a client that are missing in its types. */
interface ClientInternals {
  readonly connection: pg.Connection;
  readonly processID: number | null;
  readonly secretKey: number | null;
  readonly ssl: unknown;
  readonly sslNegotiation: unknown;
}

/** The members of a connection that are missing in its types. */
interface ConnectionInternals extends pg.Connection {
  connect(port: number, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
}

/** Returns the socket of a connected client. */
export function socketOf(client: pg.Client): pg.Connection["stream"] {
  return internalsOf(client).connection.stream;
}

/** Redirects the bytes that the server sends to a connected client, so that `pg` no longer reads them. Returns the socket. */
export function takeOverSocket(client: pg.Client, onData: (bytes: Buffer) => void): pg.Connection["stream"] {
  const socket = socketOf(client);
  socket.removeAllListeners("data");
  socket.on("data", onData);
  return socket;
}

/** Calls `listener` for each parameter that the server reports, while a client connects and later. */
export function onServerParameter(client: pg.Client, listener: (name: string, value: string) => void): void {
  internalsOf(client).connection.on(
    "parameterStatus" as never,
    (({ parameterName, parameterValue }: { parameterName: string; parameterValue: string }) =>
      listener(parameterName, parameterValue)) as never,
  );
}

/**
 * Opens a connection that asks the server to cancel the statement of a client's session. The server then closes the connection.
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
