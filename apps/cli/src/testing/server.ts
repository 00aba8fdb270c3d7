import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** A server of the service, in a process of its own. */
export interface TestServer {
  readonly url: string;
  /** Ends it, and waits until it has ended: as asked politely by default, at once with SIGKILL. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

const serverPath = fileURLToPath(new URL("../../../server/dist/main.js", import.meta.url));

/** Makes the first admin key of a server whose data is to be in a folder. */
export async function createAdminKey(dataDir: string): Promise<string> {
  const { DATABASE_URL: _, ...inherited } = process.env;
  const env = { ...inherited, DATA_DIR: dataDir };
  const { stdout } = await promisify(execFile)(process.execPath, [serverPath, "create-admin-key"], { env });
  return stdout.trim();
}

/**
 * Starts the built server on a free port and waits until it is ready. Its data is in memory unless a folder is named; `settings`
 * are further variables of its environment.
 */
export async function startServer(
  dataDir = "memory://",
  settings: Readonly<Record<string, string>> = {},
): Promise<TestServer> {
  const { DATABASE_URL: _, ...inherited } = process.env;
  const env = { ...inherited, HOST: "127.0.0.1", PORT: "0", DATA_DIR: dataDir, LOG_LEVEL: "error", ...settings };
  const child = spawn(process.execPath, [serverPath], { env, stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const stop = async (signal: NodeJS.Signals = "SIGTERM"): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  for await (const line of createInterface(child.stdout)) {
    const url = /^listening on (https?:\S+)$/.exec(line)?.[1];
    if (url !== undefined) return { url, stop };
  }
  throw new Error("the server ended before it was ready");
}
