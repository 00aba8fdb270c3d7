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

/** Calltrack with API keys and rate limits that are never reached. Metrics and request ids are always on. */
export const guardedCalltrack: Peer = {
  ...calltrack,
  name: "calltrack-guarded",
  title: "Calltrack, guarded",
  environment: {
    ...calltrack.environment,
    AUTH: "keys",
    RATE_LIMIT_CALLER: "1000000/s",
    RATE_LIMIT_ADDRESS: "1000000/s",
  },
};

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
  },
  {
    name: "express",
    title: "Express + pg",
    protocols: ["json"],
    program: import.meta.resolve("./express-server.ts"),
    environment: {},
  },
  {
    name: "hono",
    title: "Hono + postgres.js",
    protocols: ["json"],
    program: import.meta.resolve("./hono-server.ts"),
    environment: {},
  },
  {
    name: "grpc-js",
    title: "grpc-js + pg",
    protocols: ["grpc"],
    program: import.meta.resolve("./grpc-js-server.ts"),
    environment: {},
  },
  {
    name: "connect",
    title: "connect-node + Kysely",
    protocols: ["grpc"],
    program: import.meta.resolve("./connect-server.ts"),
    environment: {},
  },
  { ...go, name: "go", title: "Go net/http + pgx", protocols: ["json"] },
  { ...go, name: "go-batching", title: "Go net/http + pgx, batching", protocols: ["json"], flags: ["-batching"] },
  { ...go, name: "grpc-go", title: "grpc-go + pgx", protocols: ["grpc"], flags: ["-grpc"] },
  {
    ...go,
    name: "grpc-go-batching",
    title: "grpc-go + pgx, batching",
    protocols: ["grpc"],
    flags: ["-grpc", "-batching"],
  },
];
