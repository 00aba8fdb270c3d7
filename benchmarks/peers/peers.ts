import { NODE_FLAGS } from "../../apps/server/node-flags.js";
import type { Peer } from "./peer.ts";

/** The server of this project, as it is built. It makes the tables that the others use. */
export const calltrack = {
  name: "calltrack",
  title: "Calltrack",
  protocols: ["json", "grpc"],
  program: import.meta.resolve("../../apps/server/dist/main.js"),
  flags: NODE_FLAGS,
  // Pools are managed by no server here: what is measured is what answers requests.
  environment: { HOST: "127.0.0.1", LOG_LEVEL: "warn", PASSES: "off" },
} as const satisfies Peer;

/** The same as it is put on the internet, with rates that nobody reaches. What counts and names requests is always on. */
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

/** What a user would write instead, by hand. */
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
];
