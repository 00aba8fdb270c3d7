import { NODE_FLAGS } from "../../apps/server/node-flags.js";
import type { Peer } from "./peer.ts";

/** Calltrack, started as from its npm package. It creates the schema, which the other servers use too. */
export const calltrackPeer = {
  name: "calltrack",
  title: "Calltrack",
  protocols: ["json", "grpc"],
  program: import.meta.resolve("../../apps/server/dist/bundle/main.js"),
  flags: NODE_FLAGS,
  // Without passes, because the benchmark measures requests.
  environment: { HOST: "127.0.0.1", LOG_LEVEL: "warn", PASSES: "off" },
} as const satisfies Peer;

/** A second Calltrack server. Its ratio to the first shows the noise of a comparison. */
export const controlPeer: Peer = { ...calltrackPeer, name: "control", title: "Calltrack again (control)" };

const node = (file: string) => ({ program: import.meta.resolve(file), environment: {} });

/** The Go server. Its flags select the protocol, and whether it batches statements. */
const go = {
  program: import.meta.resolve("./go/"),
  isGo: true,
  // Runs the garbage collector less often than by default, at the cost of memory.
  environment: { GOGC: "800" },
};
const goJson = { ...go, protocols: ["json"] } as const;
const goGrpc = { ...go, protocols: ["grpc"] } as const;

const fastify: Peer = {
  ...node("./fastify-server.ts"),
  name: "fastify",
  title: "Fastify + pg",
  protocols: ["json"],
  goals: { get: 2, create: 1.5, list: 1.3 },
};

const grpcJs: Peer = {
  ...node("./grpc-js-server.ts"),
  name: "grpc-js",
  title: "grpc-js + pg",
  protocols: ["grpc"],
  goals: { get: 1.6, create: 1.6, list: 1.2 },
};

const connect: Peer = {
  ...node("./connect-server.ts"),
  name: "connect",
  title: "connect-node + Kysely",
  protocols: ["grpc"],
  goals: { get: 3, create: 3, list: 3 },
};

/** Hand-written servers that users could build instead of using Calltrack. */
export const COMPARED_SERVERS: readonly Peer[] = [
  fastify,
  { ...goJson, name: "go", title: "Go net/http + pgx", goals: { get: 1.1, create: 1.2, list: 0.9 } },
  { ...goJson, name: "go-batching", title: "Go net/http + pgx, batching", flags: ["-batching"] },
  grpcJs,
  connect,
  {
    ...goGrpc,
    name: "grpc-go",
    title: "grpc-go + pgx",
    flags: ["-grpc"],
    goals: { get: 0.75, create: 1.1, list: 0.6 },
  },
  { ...goGrpc, name: "grpc-go-batching", title: "grpc-go + pgx, batching", flags: ["-grpc", "-batching"] },
];
