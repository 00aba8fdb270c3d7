import type { Peer } from "./peer.ts";

/** The same JSON paths, written by hand on Fastify and pg. */
export const fastifyPeer: Peer = {
  title: "Fastify + pg",
  program: import.meta.resolve("./fastify-server.ts"),
  environment: {},
};
