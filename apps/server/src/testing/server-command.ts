import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { type Environment, SERVER } from "./server-process.js";

/** Starts the server with a command, whose streams are the test's to read and write. */
export function startCommand(args: readonly string[], environment: Environment): ChildProcessWithoutNullStreams {
  const { PATH = "", HOME = "" } = process.env;
  const [file = "", ...before] = SERVER;
  return spawn(file, [...before, ...args], { env: { PATH, HOME, ...environment } });
}
