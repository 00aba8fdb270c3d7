import { afterAll, expect } from "vitest";
import type { OutputRow } from "../output/output-row.js";
import type { CliResult } from "./cli.js";
import { runCommand, runJson } from "./run-command.js";
import { type ServerOptions, startServer } from "./server.js";

/** A server that all tests of a file share, with functions that run commands against it. */
export interface SharedServer {
  readonly url: string;
  /** Runs a command in this process. */
  run(...args: string[]): Promise<CliResult>;
  /** Runs a command in this process, expects success, and returns the JSON output. */
  json(...args: string[]): Promise<OutputRow & OutputRow[]>;
  /** Runs a command in this process, expects the server to reject it, and returns the command's stderr. */
  refusal(...args: string[]): Promise<string>;
}

/** Starts a server that stops after the tests of the file. */
export async function startSharedServer(options?: ServerOptions): Promise<SharedServer> {
  const { url, stop } = await startServer(options);
  afterAll(() => stop());
  const run = (...args: string[]) => runCommand(args, { server: url });
  return {
    url,
    run,
    json: (...args) => runJson(args, { server: url }),
    async refusal(...args) {
      const { exitCode, stdout, stderr } = await run(...args);
      expect({ exitCode, stdout }).toStrictEqual({ exitCode: 1, stdout: "" });
      return stderr;
    },
  };
}
