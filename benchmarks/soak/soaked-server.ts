import { execFile } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startChild, waitForLine } from "../child.ts";
import { calltrack } from "../peers/peers.ts";
import { residentMemory } from "../process-figures.ts";

/** All features on, and limits too high to be reached. */
const ENVIRONMENT = { AUTH: "keys", PASSES: "on", PASS_INTERVAL: "5s", RATE_LIMIT_CALLER: "1000000/s" };

/** A server that reports its resources. */
export interface SoakedServer {
  readonly port: number;
  /** Authorization header with all scopes. */
  readonly authorization: string;
  /** Returns the resident memory, in bytes. */
  memory(): number;
  /** Returns the heap after garbage collection, and the size of buffers, in bytes. */
  heap(): Promise<number>;
  /** Returns the number of open file descriptors. */
  descriptors(): number;
}

/** Starts Calltrack with API keys; it ends with the resources. */
export async function startSoakedServer(resources: AsyncDisposableStack, databaseUrl: string): Promise<SoakedServer> {
  const program = fileURLToPath(calltrack.program);
  const settings = { ...calltrack.environment, ...ENVIRONMENT, DATABASE_URL: databaseUrl, PORT: "0" };
  const env = { ...process.env, ...settings };
  const { stdout } = await promisify(execFile)(process.execPath, [program, "create-admin-key"], { env });
  const child = startChild(
    resources,
    program,
    { stdio: ["ignore", "pipe", "inherit", "ipc"], env: { ...env, NODE_ENV: "production" } },
    [...calltrack.flags, `--import=${import.meta.resolve("./heap-probe.ts")}`],
  );
  const [, port] = await waitForLine(child, /^listening on http:\/\/127\.0\.0\.1:(\d+)$/);
  const pid = child.pid ?? Number.NaN;
  return {
    port: Number(port),
    authorization: `Bearer ${stdout.trim()}`,
    memory: () => residentMemory(pid),
    async heap() {
      child.send("heap");
      const [{ heap }] = await once(child, "message");
      return heap;
    },
    descriptors: () => readdirSync(`/proc/${pid}/fd`).length,
  };
}
