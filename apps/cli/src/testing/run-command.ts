import { setMaxListeners } from "node:events";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { expect } from "vitest";
import type { OutputRow } from "../output/output-row.js";
import type { CommandHost } from "../process/command-host.js";
import { runProgram } from "../program.js";
import { type CliResult, omitNotices } from "./cli.js";

export interface CommandOptions {
  /** URL of the service; by default, the URL from the profile or the environment. */
  readonly server?: string;
  /** API key; the command sends none by default. */
  readonly key?: string | undefined;
  /** The text that the command reads from standard input. */
  readonly input?: string;
}

// Makes the environment of this process equal to the environment in which `startCli` starts a CLI process.
for (const name of Object.keys(process.env)) if (/^CALLTRACK_\w+$/.test(name)) delete process.env[name];
process.env.XDG_CONFIG_HOME = "/nowhere";

/**
 * Runs a command in this process. This takes a tenth of the CPU time of `runCli`, which starts the built program in a new process. Use `runCli` to
 * test signals, environment variables, protocols or the program itself.
 */
export async function runCommand(args: readonly string[], options: CommandOptions = {}): Promise<CliResult> {
  const { server, key, input } = options;
  const stdin = Readable.from(input === undefined ? [] : [Buffer.from(input)]);
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  const host = { stdin, stdout, stderr, interrupt: { stop: signal, drop: signal } } as unknown as CommandHost;
  const output = Promise.all([text(stdout), text(stderr)]);
  const globals = [...(server ? ["--server", server] : []), ...(key ? ["--key", key] : [])];
  const exitCode = await runProgram(host, [...globals, ...args]);
  stdout.end();
  stderr.end();
  const [out, notes] = await output;
  return { exitCode, stdout: out, stderr: omitNotices(notes) };
}

/** Runs a command in this process, expects success, and returns the JSON output. */
export async function runJson(args: readonly string[], options: CommandOptions): Promise<OutputRow & OutputRow[]> {
  const { exitCode, stdout, stderr } = await runCommand([...args, "--output", "json"], options);
  expect({ exitCode, stderr }).toStrictEqual({ exitCode: 0, stderr: "" });
  return JSON.parse(stdout);
}
