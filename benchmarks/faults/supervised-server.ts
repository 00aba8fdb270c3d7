import { setTimeout as pause } from "node:timers/promises";
import { findFreePort } from "../../packages/postgres/dist/testing/find-free-port.js";
import { startPeer } from "../peers/peer.ts";
import { calltrackPeer } from "../peers/peers.ts";

const RESTART_AFTER_MS = 100;

/** A server that restarts whenever it exits, as under systemd or Kubernetes. */
export interface SupervisedServer {
  readonly port: number;
  kill(): void;
}

/** Starts Calltrack, and keeps it running on one port until the stack `resources` is disposed. */
export async function startSupervisedServer(
  resources: AsyncDisposableStack,
  databaseUrl: string,
): Promise<SupervisedServer> {
  const port = await findFreePort();
  // The clients count failures, so the log shows only fatal errors.
  const environment = { ...calltrackPeer.environment, LOG_LEVEL: "fatal", PORT: String(port) };
  const start = () => startPeer(resources, { ...calltrackPeer, environment }, databaseUrl);
  let server = await start();
  const restart = async () => {
    for (;;) {
      await server.ended;
      await pause(RESTART_AFTER_MS);
      if (resources.disposed) return;
      server = await start();
    }
  };
  void restart();
  return { port, kill: () => process.kill(server.pid, "SIGKILL") };
}
