import { type ChildProcessByStdio, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

/**
 * The command line that starts the built server, and nothing beside it. Test servers run for seconds, so V8 does not optimize the
 * WebAssembly of their embedded databases.
 */
const SERVER: readonly string[] = [
  process.execPath,
  "--liftoff-only",
  fileURLToPath(new URL("../../dist/main.js", import.meta.url)),
];

const REPOSITORY = fileURLToPath(new URL("../../../..", import.meta.url));

/** The environment variables that configure a server. */
export type Environment = Readonly<Record<string, string>>;

/** How a process ended, and all that it wrote. */
export interface ProcessEnd {
  /** Null if a signal ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A built server in a process of its own. Disposing of it kills it if it still runs. */
export interface ServerProcess extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Where metrics and health are, `http://127.0.0.1:PORT`, of a server that was started with `OPS_PORT`. */
  opsUrl(): Promise<string>;
  readonly pid: number;
  readonly ended: Promise<ProcessEnd>;
  /** What it has logged so far. */
  readonly log: readonly LogLine[];
  /** Resolves when the process has written this to stderr. */
  waitForLog(text: string): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  /** Sends SIGTERM, or another signal, and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<ProcessEnd>;
}

/**
 * Starts a server on a free port; it is ready when this resolves. Throws what it wrote if it ends before.
 *
 * @param command what to start instead of the server alone, in the folder of the repository.
 */
export async function startServerProcess(
  environment: Environment = {},
  command: readonly string[] = SERVER,
): Promise<ServerProcess> {
  const child = new Child(command, environment);
  const url = await child.waitFor("stdout", /^listening on (https?:\S+)\n/m);
  return {
    url,
    port: Number(new URL(url).port),
    opsUrl: async () =>
      `http://127.0.0.1:${await child.waitFor("stderr", /"port":(\d+),"msg":"serving metrics and health checks"/)}`,
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

/** Runs the server with a command until it ends by itself. */
export function runServer(args: readonly string[], environment: Environment = {}): Promise<ProcessEnd> {
  return new Child([...SERVER, ...args], environment).ended;
}

/** What a server logs. */
export type LogLine = Readonly<Record<string, unknown>>;

/** The lines that a server has written to stderr; throws if one is no JSON. The last may not be whole yet. */
export function parseLog(stderr: string): LogLine[] {
  return stderr
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

/** Whether nobody accepts connections on a port. */
export async function isRefused(port: number): Promise<boolean> {
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
    const { PATH = "", HOME = "" } = process.env;
    const env = { PATH, HOME, PORT: "0", DATA_DIR: "memory://", ...environment };
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

  /** The first group of what the process writes, or has written, or all of the match. */
  async waitFor(name: "stdout" | "stderr", pattern: RegExp): Promise<string> {
    const ended = this.ended.then(({ exitCode, stderr }): never => {
      throw new Error(`the server ended with ${exitCode}: ${stderr}`);
    });
    // It ends at some time, also when what is waited for has come before.
    ended.catch(() => {});
    for (;;) {
      const match = pattern.exec(this.#output[name]);
      if (match !== null) return match[1] ?? match[0];
      await Promise.race([once(this.#process[name], "data"), ended]);
    }
  }
}

/** Starts the server with a command, whose streams are the test's to read and write. */
export function startCommand(args: readonly string[], environment: Environment): ChildProcessWithoutNullStreams {
  const { PATH = "", HOME = "" } = process.env;
  const [file = "", ...before] = SERVER;
  return spawn(file, [...before, ...args], { env: { PATH, HOME, ...environment } });
}
