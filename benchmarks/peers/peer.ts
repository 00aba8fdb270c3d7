import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startChild, waitForLine } from "../child.ts";

/** JSON over HTTP/1.1, or gRPC over HTTP/2, both without TLS. */
export type Protocol = "json" | "grpc";

/** The operation of a measured request: it gets a pool, creates one, or lists those of an account. */
export type Operation = "get" | "create" | "list";

/** A measured server: a program that reads `DATABASE_URL` and `PORT`, which may be 0 for any free port. */
export interface Peer {
  /** Name on the command line, such as `fastify`. */
  readonly name: string;
  /** Title in tables, such as `Fastify + pg`. */
  readonly title: string;
  /** Protocols that it serves, on one port. */
  readonly protocols: readonly Protocol[];
  /** URL of the program's file for Node. Of a program in Go: of the folder of its source, and of its executable once built. */
  readonly program: string;
  /** Whether it is a program in Go; false by default. */
  readonly isGo?: boolean;
  /** Command line flags of Node, or of the program in Go. */
  readonly flags?: readonly string[];
  /** Additional environment variables. */
  readonly environment: Readonly<Record<string, string>>;
  /** Minimum of Calltrack's requests per second divided by its own. */
  readonly goals?: Readonly<Record<Operation, number>>;
}

/** A server in a child process. */
export interface RunningPeer {
  readonly peer: Peer;
  readonly port: number;
  readonly pid: number;
  /** Resolves when the process has ended. */
  readonly ended: Promise<unknown>;
}

/** Starts a server that ends with the resources; resolves when it accepts connections. */
export async function startPeer(
  resources: AsyncDisposableStack,
  peer: Peer,
  databaseUrl: string,
): Promise<RunningPeer> {
  const env = { ...process.env, NODE_ENV: "production", DATABASE_URL: databaseUrl, PORT: "0", ...peer.environment };
  const program = fileURLToPath(peer.program);
  const flags = peer.flags ?? [];
  const child = peer.isGo
    ? startChild(resources, program, flags, { env })
    : startChild(resources, process.execPath, [...flags, program], { env });
  const [, port] = await waitForLine(child, /^listening on http:\/\/127\.0\.0\.1:(\d+)$/);
  return { peer, port: Number(port), pid: child.pid ?? Number.NaN, ended: once(child, "exit") };
}
