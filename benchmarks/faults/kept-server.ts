import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { waitForLine } from "../child.ts";
import { calltrack } from "../peers/peers.ts";

/** After how long a server that ended is started again. */
const RESTART_AFTER_MS = 100;

/** A server that is started again whenever it ends, as by systemd or Kubernetes. */
export interface KeptServer {
  readonly port: number;
  /** Of the process at the moment. */
  readonly pid: number;
  /** Kills it as `kill -9` does. */
  kill(): void;
}

/** Starts our server and keeps it running, on one port, until the end of the resources. */
export async function keepServer(
  resources: AsyncDisposableStack,
  databaseUrl: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<KeptServer> {
  const port = await freePort();
  const env = {
    ...process.env,
    NODE_ENV: "production",
    ...calltrack.environment,
    // What fails is what is counted here.
    LOG_LEVEL: "fatal",
    ...environment,
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
    get pid() {
      return child.pid ?? Number.NaN;
    },
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
