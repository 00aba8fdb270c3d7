import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

const STOP_TIMEOUT_MS = 10_000;

/**
 * Starts a process that ends when the stack `resources` is disposed.
 *
 * @param options stdout is a pipe by default; stderr is inherited.
 */
export function startChildProcess(
  resources: AsyncDisposableStack,
  executable: string,
  args: readonly string[],
  options: SpawnOptions,
): ChildProcess {
  // After an interruption, nothing would stop a new process.
  if (resources.disposed) throw new Error("the benchmark was interrupted");
  const child = spawn(executable, args, { stdio: ["ignore", "pipe", "inherit"], ...options });
  resources.defer(() => stopChild(child));
  return child;
}

/**
 * Returns the first match of a pattern in the lines that a process writes to stdout.
 *
 * @throws Error if the process exits without a match.
 */
export async function waitForOutputLine(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  if (child.stdout === null) throw new Error("the process has no stdout pipe");
  const lines = createInterface(child.stdout);
  for await (const line of lines) {
    const match = pattern.exec(line);
    if (match === null) continue;
    // Discards later output. Otherwise the process would block on a full pipe.
    child.stdout.resume();
    return match;
  }
  throw new Error(`${child.spawnargs.at(-1)} exited before it was ready`);
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}
