import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp } from "node:fs/promises";
import { get as getPlain } from "node:http";
import { get as getEncrypted } from "node:https";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createDatabase } from "@calltrack/postgres/testing/test-database";
import { inject } from "vitest";
import { pollUntil } from "./poll-until.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The name of a template database on the tests' PostgreSQL server, with the schema and no rows. */
    migratedDatabase: string;
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

/** The server runs only for seconds, so the young generation of its heap is large from the start. */
const HEAP = "--min-semi-space-size=16";

/** Flags for an embedded database: V8 does not optimize it, and validates its functions lazily. */
const WEBASSEMBLY = ["--liftoff-only", "--wasm-lazy-validation"];

/** The variables of a server on a database in PostgreSQL. The key is fixed, so that the server can be started again. */
const onPostgres = (DATABASE_URL: string) => ({ DATABASE_URL, SECRETS_KEY: Buffer.alloc(32, 1).toString("base64") });

/** Creates a database in PostgreSQL with the schema and no rows, and returns its URL. */
export async function createServerDatabase(): Promise<string> {
  return await createDatabase(inject("migratedDatabase"));
}

/** Creates the first admin key in a database for `startServer`. */
export async function createAdminKey(databaseUrl: string): Promise<string> {
  const env = { ...process.env, ...onPostgres(databaseUrl) };
  const { stdout } = await promisify(execFile)(process.execPath, [SERVER, "create-admin-key"], { env });
  return stdout.trim();
}

export interface ServerOptions {
  /** URL of a database in PostgreSQL; by default a new one. */
  readonly databaseUrl?: string;
  /** The data folder of an embedded database to use instead. If the folder does not exist, it is created with the schema and no rows. */
  readonly dataDir?: string;
  /** Additional environment variables. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The command line of the server; by default the built one. */
  readonly command?: readonly [file: string, ...args: string[]];
}

/** Starts the built server on a free port and waits until it is ready. */
export async function startServer({
  databaseUrl,
  dataDir,
  settings,
  command,
}: ServerOptions = {}): Promise<TestServer> {
  if (dataDir !== undefined && !existsSync(dataDir))
    await cp(inject("migratedDirectory"), dataDir, { recursive: true });
  const database =
    dataDir === undefined ? onPostgres(databaseUrl ?? (await createServerDatabase())) : { DATA_DIR: dataDir };
  const { DATABASE_URL: _, ...inherited } = process.env;
  const env = {
    ...inherited,
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    HOST: "127.0.0.1",
    PORT: "0",
    LOG_LEVEL: "error",
    ...database,
    ...settings,
  };
  const flags = [HEAP, ...(dataDir === undefined ? [] : WEBASSEMBLY)];
  const [file, ...args] = command ?? [process.execPath, ...flags, SERVER];
  const child = spawn(file, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const stop = async (signal: NodeJS.Signals = "SIGTERM"): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  for await (const line of createInterface(child.stdout)) {
    const url = /^listening on (https?:\S+)$/.exec(line)?.[1];
    if (url === undefined) continue;
    // If PostgreSQL is slow, the server can listen before it is connected to the database.
    await pollUntil(() => isReady(`${url}/readyz`));
    return { url, stop };
  }
  throw new Error("the server exited before it was ready");
}

async function isReady(url: string): Promise<boolean> {
  const get = url.startsWith("https:") ? getEncrypted : getPlain;
  const [response] = await once(get(url, { agent: false, rejectUnauthorized: false }), "response");
  response.resume();
  return response.statusCode === 200;
}
