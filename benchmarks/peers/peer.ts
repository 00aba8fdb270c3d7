import { fileURLToPath } from "node:url";
import { startChild, waitForLine } from "../child.ts";

/** What requests are sent in: JSON over HTTP/1.1, JSON over HTTP/2, or gRPC over HTTP/2, all without TLS. */
export type Protocol = "json" | "json-http2" | "grpc";

/** A server that can be measured: a Node program that takes `DATABASE_URL`, and `PORT` of which 0 is any free one. */
export interface Peer {
  /** As it is called on the command line: `fastify`. */
  readonly name: string;
  /** As it is called in a table: `Fastify + pg`. */
  readonly title: string;
  /** What it serves of what is measured, on one port. */
  readonly protocols: readonly Protocol[];
  /** The URL of the program's file. */
  readonly program: string;
  /** What Node is started with. */
  readonly flags?: readonly string[];
  /** More variables of its environment. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A server in a process of its own. */
export interface RunningPeer {
  readonly peer: Peer;
  readonly port: number;
  readonly pid: number;
}

/** Starts a server, which ends with the resources; it accepts connections when this resolves. */
export async function startPeer(
  resources: AsyncDisposableStack,
  peer: Peer,
  databaseUrl: string,
): Promise<RunningPeer> {
  const env = { ...process.env, NODE_ENV: "production", DATABASE_URL: databaseUrl, PORT: "0", ...peer.environment };
  const child = startChild(resources, fileURLToPath(peer.program), { env }, peer.flags);
  const [, port] = await waitForLine(child, /^listening on http:\/\/127\.0\.0\.1:(\d+)$/);
  return { peer, port: Number(port), pid: child.pid ?? Number.NaN };
}
