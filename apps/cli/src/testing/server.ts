import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of an embedded database with the schema and no rows. Copies next to it are deleted after the test run. */
    migratedDirectory: string;
  }
}

export interface TestServer {
  readonly url: string;
  /** Stops the server and waits for its exit. SIGKILL stops it without a graceful shutdown. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

const SERVER = fileURLToPath(new URL("../../../server/dist/bundle/main.js", import.meta.url));

/** The folder in which all test servers cache their compiled code. */
export const COMPILE_CACHE: string = fileURLToPath(new URL("../../node_modules/.cache/compile", import.meta.url));

/**
 * The arguments of the built server. The server runs only for seconds, so the young generation of its heap is large from the start. V8 does not
 * optimize the embedded database, and validates its functions lazily.
 */
const serverArguments = ["--min-semi-space-size=16", "--liftoff-only", "--wasm-lazy-validation", SERVER];

/** The command line of a built server whose embedded database V8 optimizes, which pays off from about 10,000 rows on. */
export const OPTIMIZED_SERVER: readonly [string, ...string[]] = [process.execPath, SERVER];

/** Creates the first admin key in a data folder for `startServer`. */
export async function createAdminKey(dataDir: string): Promise<string> {
  await prepareData(dataDir);
  const { DATABASE_URL: _, ...inherited } = process.env;
  const env = { ...inherited, DATA_DIR: dataDir };
  const { stdout } = await promisify(execFile)(process.execPath, [...serverArguments, "create-admin-key"], { env });
  return stdout.trim();
}

export interface ServerOptions {
  /** Data folder; by default a new one. If it does not exist, it is created with the schema and no rows. */
  readonly dataDir?: string;
  /** Additional environment variables. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The command line of the server; by default the built one. */
  readonly command?: readonly [file: string, ...args: string[]];
}

/** Starts the built server on a free port and waits until it is ready. */
export async function startServer({
  dataDir = `${inject("migratedDirectory")}-${randomUUID()}`,
  settings = {},
  command: [file, ...args] = [process.execPath, ...serverArguments],
}: ServerOptions = {}): Promise<TestServer> {
  await prepareData(dataDir);
  const { DATABASE_URL: _, ...inherited } = process.env;
  const address = { HOST: "127.0.0.1", PORT: "0" };
  const env = {
    ...inherited,
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    ...address,
    DATA_DIR: dataDir,
    LOG_LEVEL: "error",
    ...settings,
  };
  const child = spawn(file, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const stop = async (signal: NodeJS.Signals = "SIGTERM"): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  for await (const line of createInterface(child.stdout)) {
    const url = /^listening on (https?:\S+)$/.exec(line)?.[1];
    if (url !== undefined) return { url, stop };
  }
  throw new Error("the server exited before it was ready");
}

async function prepareData(dataDir: string): Promise<void> {
  if (!existsSync(dataDir)) await cp(inject("migratedDirectory"), dataDir, { recursive: true });
}
