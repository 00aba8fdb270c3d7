import { NODE_FLAGS } from "../../apps/server/node-flags.js";
import type { Peer } from "./peer.ts";

/** Calltrack as its package runs it, in one bundle. It creates the schema that the other servers use. */
export const calltrack = {
  name: "calltrack",
  title: "Calltrack",
  protocols: ["json", "grpc"],
  program: import.meta.resolve("../../apps/server/dist/bundle/main.js"),
  flags: NODE_FLAGS,
  // No passes, because the benchmark measures requests.
  environment: { HOST: "127.0.0.1", LOG_LEVEL: "warn", PASSES: "off" },
} as const satisfies Peer;

/** The same again: its ratio to Calltrack shows the noise of a comparison. */
export const control: Peer = { ...calltrack, name: "control", title: "Calltrack again (control)" };

/** One server in Go; its flags select the protocol, and whether it batches statements. */
const go = {
  program: import.meta.resolve("./go/"),
  isGo: true,
  // The garbage collector runs less often than by default, for more memory.
  environment: { GOGC: "800" },
};

/** Hand-written servers that users could build instead. */
export const PEERS: readonly Peer[] = [
  {
    name: "fastify",
    title: "Fastify + pg",
    protocols: ["json"],
    program: import.meta.resolve("./fastify-server.ts"),
    environment: {},
    goals: { get: 2, create: 1.5, list: 1.3 },
  },
  {
    ...go,
    name: "go",
    title: "Go net/http + pgx",
    protocols: ["json"],
    goals: { get: 1.1, create: 1.2, list: 0.9 },
  },
  { ...go, name: "go-batching", title: "Go net/http + pgx, batching", protocols: ["json"], flags: ["-batching"] },
  {
    name: "grpc-js",
    title: "grpc-js + pg",
    protocols: ["grpc"],
    program: import.meta.resolve("./grpc-js-server.ts"),
    environment: {},
    goals: { "grpc-get": 1.6, "grpc-create": 1.6, "grpc-list": 1.2 },
  },
  {
    name: "connect",
    title: "connect-node + Kysely",
    protocols: ["grpc"],
    program: import.meta.resolve("./connect-server.ts"),
    environment: {},
    goals: { "grpc-get": 3, "grpc-create": 3, "grpc-list": 3 },
  },
  {
    ...go,
    name: "grpc-go",
    title: "grpc-go + pgx",
    protocols: ["grpc"],
    flags: ["-grpc"],
    goals: { "grpc-get": 0.75, "grpc-create": 1.1, "grpc-list": 0.6 },
  },
  {
    ...go,
    name: "grpc-go-batching",
    title: "grpc-go + pgx, batching",
    protocols: ["grpc"],
    flags: ["-grpc", "-batching"],
  },
];
