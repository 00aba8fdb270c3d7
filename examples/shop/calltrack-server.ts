import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../apps/server/dist/bundle/main.js", import.meta.url));

/** A Calltrack server in a child process. */
export interface Calltrack {
  readonly url: string;
  /** Stops the server and resolves when its process has exited. */
  stop(): Promise<void>;
}

/** Starts Calltrack on a database in memory, with the virtual clock. */
export async function startCalltrack(): Promise<Calltrack> {
  const port = String(await findFreePort());
  const env = {
    ...process.env,
    PORT: port,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    DATABASE_URL: "",
    DATA_DIR: "memory://",
    CLOCK: "virtual",
    LOG_LEVEL: "warn",
  };
  // A terminal sends Ctrl-C to its whole process group. In a separate group, only stop() ends the server.
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

/** The phone system needs the server's URL, so that the server cannot choose its own port. */
async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}
