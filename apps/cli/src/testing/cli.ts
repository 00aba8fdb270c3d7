import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "vitest";
import type { Row } from "../resource-row.js";

/** What a process of the command line did. */
export interface CliResult {
  /** Null where a signal ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  /** Without what is written where a request takes long, as any may on a busy machine; see `keepsNotices`. */
  readonly stderr: string;
}

/** A process of the command line that is under way. */
export interface RunningCli {
  readonly process: ChildProcess;
  readonly result: Promise<CliResult>;
}

/** What a process of the command line runs in. */
export interface CliSurroundings {
  /** Becomes `CALLTRACK_SERVER`. */
  readonly server?: string;
  /** Further variables of its environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** All of standard input. */
  readonly input?: string;
  /** Whether standard input stays open after that. */
  readonly keepsInputOpen?: boolean;
  /** Whether stderr has what is written where a request takes long. */
  readonly keepsNotices?: boolean;
  /** What runs in place of the built program. */
  readonly program?: readonly [file: string, ...args: string[]];
}

const PACKAGE = join(import.meta.dirname, "..", "..");

/** The built program, as it is installed. */
export const cliPath: string = join(PACKAGE, "bin", "calltrack.cjs");

/** Starts the program with some arguments. */
export function startCli(args: readonly string[], surroundings: CliSurroundings = {}): RunningCli {
  const { server, environment = {}, input = "", keepsInputOpen = false, keepsNotices = false } = surroundings;
  const [file, ...entry] = surroundings.program ?? [process.execPath, cliPath];
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

/** Runs the program with some arguments until it ends. */
export async function runCli(args: readonly string[], surroundings?: CliSurroundings): Promise<CliResult> {
  return await startCli(args, surroundings).result;
}

/** Runs a command that succeeds, and returns what it wrote as JSON. */
export async function runJson(args: readonly string[], surroundings?: CliSurroundings): Promise<Row & Row[]> {
  const { exitCode, stdout, stderr } = await runCli([...args, "--output", "json"], surroundings);
  expect({ exitCode, stderr }).toStrictEqual({ exitCode: 0, stderr: "" });
  return JSON.parse(stdout);
}

async function readResult(child: ReturnType<typeof spawn>, keepsNotices: boolean): Promise<CliResult> {
  const closed = once(child, "close");
  const [stdout = "", stderr = ""] = await Promise.all(
    [child.stdout, child.stderr].map((stream) => (stream ? text(stream) : "")),
  );
  const [exitCode] = await closed;
  return { exitCode, stdout, stderr: keepsNotices ? stderr : stderr.replace(/^Waiting for .*\n/gm, "") };
}
