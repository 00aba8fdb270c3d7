import { fileURLToPath } from "node:url";
import { startChild, waitForLine } from "../child.ts";

/** Encoding and HTTP version of requests: JSON over HTTP/1.1, JSON over HTTP/2, or gRPC over HTTP/2, all without TLS. */
export type Protocol = "json" | "json-http2" | "grpc";

/** A measured server: a Node program that reads `DATABASE_URL` and `PORT`, which may be 0 for any free port. */
export interface Peer {
  /** Name on the command line, such as `fastify`. */
  readonly name: string;
  /** Title in tables, such as `Fastify + pg`. */
  readonly title: string;
  /** Protocols that it serves, on one port. */
  readonly protocols: readonly Protocol[];
  /** URL of the program's file. */
  readonly program: string;
  /** Command line flags of Node. */
  readonly flags?: readonly string[];
  /** Additional environment variables. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A server in a child process. */
export interface RunningPeer {
  readonly peer: Peer;
  readonly port: number;
  readonly pid: number;
}

/** Starts a server that ends with the resources; resolves when it accepts connections. */
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
