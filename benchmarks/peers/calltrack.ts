import type { Peer } from "./peer.ts";

/** The server of this project, as it is built. */
export const calltrack: Peer = {
  title: "Calltrack",
  program: import.meta.resolve("../../apps/server/dist/main.js"),
  // Pools are managed by no server here: what is measured is what answers requests.
  environment: { HOST: "127.0.0.1", LOG_LEVEL: "warn", PASSES: "off" },
};
