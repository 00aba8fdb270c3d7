import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";

/** The exit code and the output of a CLI process that has ended. */
export interface CliResult {
  /** Null if a signal ended the process. */
  readonly exitCode: number | null;
  readonly stdout: string;
  /** Without notices about slow requests, which can appear on a busy machine; see `keepsNotices`. */
  readonly stderr: string;
}

export interface RunningCli {
  readonly process: ChildProcess;
  readonly result: Promise<CliResult>;
}

export interface CliOptions {
  /** Sets `CALLTRACK_SERVER`. */
  readonly server?: string;
  /** Additional environment variables. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The text that the process reads from standard input. */
  readonly input?: string;
  /** Whether standard input stays open after `input`. */
  readonly keepsInputOpen?: boolean;
  /** Whether `stderr` keeps notices about slow requests. */
  readonly keepsNotices?: boolean;
  /** The program to run instead of the built one. */
  readonly program?: readonly [file: string, ...args: string[]];
}

const PACKAGE = join(import.meta.dirname, "..", "..");

/** Path of the built program's executable. */
export const cliPath: string = join(PACKAGE, "bin", "calltrack.cjs");

export function startCli(args: readonly string[], options: CliOptions = {}): RunningCli {
  const { server, environment = {}, input = "", keepsInputOpen = false, keepsNotices = false } = options;
  const [file, ...entry] = options.program ?? [process.execPath, cliPath];
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:CALLTRACK_\w+|NO_COLOR)$/.test(name)),
  );
  const env = {
    ...inherited,
    XDG_CONFIG_HOME: "/nowhere",
    XDG_CACHE_HOME: join(PACKAGE, "node_modules", ".cache"),
    ...(server !== undefined && { CALLTRACK_SERVER: server }),
    ...environment,
  };
  const child = spawn(file, [...entry, ...args], { env });
  child.stdin.on("error", () => {});
  child.stdin.write(input);
  if (!keepsInputOpen) child.stdin.end();
  return { process: child, result: readResult(child, keepsNotices) };
}

/** Runs the built program in a new process, and waits for its exit. */
export async function runCli(args: readonly string[], options?: CliOptions): Promise<CliResult> {
  return await startCli(args, options).result;
}

/** Removes notices about slow requests, which can appear on a busy machine. */
export function omitNotices(stderr: string): string {
  return stderr.replace(/^Waiting for .*\n/gm, "");
}

async function readResult(child: ReturnType<typeof spawn>, keepsNotices: boolean): Promise<CliResult> {
  const closed = once(child, "close");
  const [stdout = "", stderr = ""] = await Promise.all(
    [child.stdout, child.stderr].map((stream) => (stream ? text(stream) : "")),
  );
  const [exitCode] = await closed;
  return { exitCode, stdout, stderr: keepsNotices ? stderr : omitNotices(stderr) };
}
