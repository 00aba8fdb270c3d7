import { afterAll } from "vitest";
import type { Row } from "../output/resource-row.js";
import type { CliResult } from "./cli.js";
import { runCommand, runJson } from "./run-command.js";
import { startServer } from "./server.js";

/** A server that all tests of a file share, and commands that it answers. */
export interface SharedServer {
  readonly url: string;
  /** Runs a command in this process. */
  run(...args: string[]): Promise<CliResult>;
  /** Runs a command that succeeds in this process, and returns its JSON output. */
  json(...args: string[]): Promise<Row & Row[]>;
}

/**
 * Starts a server that stops after the tests of the file.
 *
 * @param settings additional environment variables.
 */
export async function startSharedServer(settings?: Readonly<Record<string, string>>): Promise<SharedServer> {
  const { url, stop } = await startServer(undefined, settings);
  afterAll(() => stop());
  return {
    url,
    run: (...args) => runCommand(args, { server: url }),
    json: (...args) => runJson(args, { server: url }),
  };
}
