import type { Peer } from "./peer.ts";

/** The server of this project, as it is built. */
export const calltrack: Peer = {
  title: "Calltrack",
  program: import.meta.resolve("../../apps/server/dist/main.js"),
  environment: { HOST: "127.0.0.1", LOG_LEVEL: "warn" },
};
