import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../apps/server/dist/main.js", import.meta.url));

/** A server in a process of its own. */
export interface Calltrack {
  readonly url: string;
  /** Resolves when it has ended. */
  stop(): Promise<void>;
}

/** Starts Calltrack on a database in memory, with a clock that can be moved. */
export async function startCalltrack(): Promise<Calltrack> {
  const env = {
    ...process.env,
    PORT: "0",
    DATABASE_URL: "",
    DATA_DIR: "memory://",
    CLOCK: "virtual",
    LOG_LEVEL: "warn",
  };
  // A terminal sends Ctrl-C to all of its processes: in a group of its own, the server is stopped by us alone.
  const server = spawn(process.execPath, [MAIN], { env, stdio: ["ignore", "pipe", "inherit"], detached: true });
  const stop = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    server.kill("SIGTERM");
    await ended;
  };
  process.once("exit", () => server.kill("SIGKILL"));
  for await (const line of createInterface(server.stdout)) {
    const url = /^listening on (\S+)$/.exec(line)?.[1];
    if (url !== undefined) return { url, stop };
  }
  throw new Error("Calltrack did not start");
}
