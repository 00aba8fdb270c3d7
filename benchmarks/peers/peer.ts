import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startChildProcess, waitForOutputLine } from "../child-process.ts";

/** JSON over HTTP/1.1, or gRPC over HTTP/2, both without TLS. */
export type Protocol = "json" | "grpc";

/** The kind of a measured request: gets a pool, creates a pool, or lists an account's pools. */
export type PoolOperation = "get" | "create" | "list";

/** A measured server: a program that reads `DATABASE_URL` and `PORT`, where port 0 means any free port. */
export interface Peer {
  /** Name on the command line, such as `fastify`. */
  readonly name: string;
  /** Title in tables, such as `Fastify + pg`. */
  readonly title: string;
  readonly protocols: readonly Protocol[];
  /** The URL of the file that Node.js runs. For a Go peer, the URL of the source folder and, after the build, of the executable. */
  readonly program: string;
  readonly isGo?: boolean;
  readonly flags?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The minimum ratio of Calltrack's requests per second to the peer's, for each kind of request. */
  readonly goals?: Readonly<Record<PoolOperation, number>>;
}

export interface RunningPeer {
  readonly peer: Peer;
  readonly port: number;
  readonly pid: number;
  readonly ended: Promise<unknown>;
}

/** Starts a server. Resolves when it accepts connections. Disposing of the stack `resources` stops the server. */
export async function startPeer(
  resources: AsyncDisposableStack,
  peer: Peer,
  databaseUrl: string,
): Promise<RunningPeer> {
  const env = { ...process.env, NODE_ENV: "production", DATABASE_URL: databaseUrl, PORT: "0", ...peer.environment };
  const program = fileURLToPath(peer.program);
  const flags = peer.flags ?? [];
  const child = peer.isGo
    ? startChildProcess(resources, program, flags, { env })
    : startChildProcess(resources, process.execPath, [...flags, program], { env });
  const [, port] = await waitForOutputLine(child, /^listening on http:\/\/127\.0\.0\.1:(\d+)$/);
  return { peer, port: Number(port), pid: child.pid ?? Number.NaN, ended: once(child, "exit") };
}
