import { type ChildProcessByStdio, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { get as getPlain } from "node:http";
import { get as getEncrypted } from "node:https";
import { connect, type Socket } from "node:net";
import { availableParallelism } from "node:os";
import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const SERVER = fileURLToPath(new URL("../../dist/bundle/main.js", import.meta.url));

const REPOSITORY = fileURLToPath(new URL("../../../..", import.meta.url));

/** The folder in which all test servers cache their compiled code. */
const COMPILE_CACHE = fileURLToPath(new URL("../../node_modules/.cache/compile", import.meta.url));

/** The environment variables that configure a server. */
export type Environment = Readonly<Record<string, string>>;

/**
 * Returns the command line that starts the built server. Test servers run only for seconds, so the young generation of their heap is
 * large from the start. V8 does not optimize the WebAssembly of their embedded databases, and validates only the functions that run.
 * Servers on PostgreSQL run without the flags for WebAssembly, because with any such flag Node.js compiles its own modules at each start.
 */
export function getServerCommand({ DATABASE_URL }: Environment): readonly string[] {
  const flags = DATABASE_URL === undefined ? ["--liftoff-only", "--wasm-lazy-validation"] : [];
  return [process.execPath, "--min-semi-space-size=16", ...flags, SERVER];
}

export interface ProcessEnd {
  /** Null if a signal ended the process. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built server in a child process. Disposing of it kills the process if it still runs. */
export interface ServerProcess extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** The URL of the metrics port, `http://127.0.0.1:PORT`. Requires a server that was started with `OPS_PORT`. */
  opsUrl(): Promise<string>;
  readonly pid: number;
  readonly ended: Promise<ProcessEnd>;
  /** The log lines so far. */
  readonly log: readonly LogLine[];
  /** Resolves when stderr matches the regular expression `text`. Rejects if the process ends before that. */
  waitForLog(text: string): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  /** Sends a signal, SIGTERM by default, and waits until the process ends. */
  stop(signal?: NodeJS.Signals): Promise<ProcessEnd>;
}

/**
 * Starts a server on a free port and waits until it is ready.
 *
 * @param command a command line that replaces the server's own. It runs in the root folder of the repository.
 * @throws Error with the server's stderr if the server ends before it is ready.
 */
export async function startServerProcess(
  environment: Environment = {},
  command?: readonly string[],
): Promise<ServerProcess> {
  const server = await startListeningProcess(environment, command);
  // If PostgreSQL is slow, a server or some of its workers can listen before they are connected to the database.
  const { DATABASE_URL, WORKERS = "1" } = environment;
  const workers = WORKERS === "auto" ? availableParallelism() : Number(WORKERS);
  if (DATABASE_URL !== undefined) await awaitReadiness(server.url, workers);
  return server;
}

/** Starts a server on a free port and waits until it listens. Unlike `startServerProcess`, this function does not wait for the database. */
export async function startListeningProcess(
  environment: Environment,
  command: readonly string[] = getServerCommand(environment),
): Promise<ServerProcess> {
  const child = new Child(command, environment);
  const url = await child.waitFor("stdout", /^listening on (https?:\S+)\n/m);
  return {
    url,
    port: Number(new URL(url).port),
    opsUrl: async () =>
      `http://127.0.0.1:${await child.waitFor("stderr", /"port":(\d+),"msg":"serving metrics and health checks on a separate port"/)}`,
    pid: child.pid,
    ended: child.ended,
    get log() {
      return parseLog(child.stderr);
    },
    waitForLog: async (text) => void (await child.waitFor("stderr", new RegExp(text))),
    kill: (signal) => child.kill(signal),
    stop(signal = "SIGTERM") {
      child.kill(signal);
      return child.ended;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.ended;
    },
  };
}

/**
 * Waits until all workers of a server are ready. Workers get new connections in turn, so the wait ends after `workers` consecutive successful
 * requests.
 */
async function awaitReadiness(url: string, workers: number): Promise<void> {
  const get = url.startsWith("https:") ? getEncrypted : getPlain;
  for (let ready = 0; ready < workers; ) {
    const sent = get(`${url}/readyz`, { agent: false, rejectUnauthorized: false });
    const [response] = await once(sent, "response");
    response.resume();
    ready = response.statusCode === 200 ? ready + 1 : 0;
    if (ready === 0) await pause(100);
  }
}

/** Runs a command of the server until the process ends by itself. */
export function runServer(args: readonly string[], environment: Environment = {}): Promise<ProcessEnd> {
  return new Child([...getServerCommand(environment), ...args], environment).ended;
}

/** A log line of a server, parsed from JSON. */
export type LogLine = Readonly<Record<string, unknown>>;

/** Parses the stderr of a server. Throws if a line is not JSON. Ignores the last line, which may be incomplete. */
export function parseLog(stderr: string): LogLine[] {
  return stderr
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

/** Whether no process listens on a port of 127.0.0.1. */
export async function isConnectionRefused(port: number): Promise<boolean> {
  const socket: Socket = connect(port, "127.0.0.1");
  const refused = await Promise.race([
    once(socket, "connect").then(() => false),
    once(socket, "close").then(() => true),
  ]).catch(() => true);
  socket.destroy();
  return refused;
}

class Child {
  readonly ended: Promise<ProcessEnd>;
  readonly #process: ChildProcessByStdio<null, Readable, Readable>;
  readonly #output = { stdout: "", stderr: "" };

  constructor([file = "", ...args]: readonly string[], environment: Environment) {
    const env = { ...inherited(), PORT: "0", DATA_DIR: "memory://", ...environment };
    this.#process = spawn(file, args, { cwd: REPOSITORY, env, stdio: ["ignore", "pipe", "pipe"] });
    for (const name of ["stdout", "stderr"] as const) {
      this.#process[name].setEncoding("utf8").on("data", (text: string) => {
        this.#output[name] += text;
      });
    }
    this.ended = once(this.#process, "close").then(([exitCode]) => ({ exitCode, ...this.#output }));
  }

  get stderr(): string {
    return this.#output.stderr;
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** Waits until the output matches, and returns the first group, or the whole match if the pattern has no groups. */
  async waitFor(name: "stdout" | "stderr", pattern: RegExp): Promise<string> {
    const ended = this.ended.then(({ exitCode, stderr }): never => {
      throw new Error(`the server ended with ${exitCode}: ${stderr}`);
    });
    // Prevents an unhandled rejection when the process ends after a match, because nothing awaits `ended` then.
    ended.catch(() => {});
    for (;;) {
      const match = pattern.exec(this.#output[name]);
      if (match !== null) return match[1] ?? match[0];
      await Promise.race([once(this.#process[name], "data"), ended]);
    }
  }
}

/** Starts a server command whose streams the test reads and writes. */
export function startCommand(args: readonly string[], environment: Environment): ChildProcessWithoutNullStreams {
  const [file = "", ...before] = getServerCommand(environment);
  return spawn(file, [...before, ...args], { env: { ...inherited(), ...environment } });
}

/** Returns the environment variables of every test server. */
function inherited(): Environment {
  const { PATH = "", HOME = "" } = process.env;
  return { PATH, HOME, NODE_COMPILE_CACHE: COMPILE_CACHE };
}
