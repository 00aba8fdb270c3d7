import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { waitForLine } from "../child.ts";
import { calltrack } from "../peers/peers.ts";

/** Delay before a server that exited is restarted. */
const RESTART_AFTER_MS = 100;

/** A server that is restarted whenever it exits, as by systemd or Kubernetes. */
export interface SupervisedServer {
  readonly port: number;
  /** Kills the process like `kill -9`. */
  kill(): void;
}

/** Starts Calltrack and keeps it running on one port until the resources are disposed. */
export async function startSupervisedServer(
  resources: AsyncDisposableStack,
  databaseUrl: string,
): Promise<SupervisedServer> {
  const port = await freePort();
  const env = {
    ...process.env,
    NODE_ENV: "production",
    ...calltrack.environment,
    // Failures are counted by the clients.
    LOG_LEVEL: "fatal",
    DATABASE_URL: databaseUrl,
    PORT: String(port),
  };
  const start = () =>
    spawn(process.execPath, [...calltrack.flags, fileURLToPath(calltrack.program)], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
  let child: ChildProcess = start();
  let isOver = false;
  const keep = async () => {
    while (!isOver) {
      await once(child, "exit");
      await new Promise((resolve) => setTimeout(resolve, RESTART_AFTER_MS));
      if (!isOver) child = start();
    }
  };
  resources.defer(async () => {
    isOver = true;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  });
  const listening = waitForLine(child, /^listening on /);
  void keep();
  await listening;
  return {
    port,
    kill: () => child.kill("SIGKILL"),
  };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}
