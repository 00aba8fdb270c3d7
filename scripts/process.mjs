import { spawnSync } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the repository. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The project's own Node: the binary itself, as its wrapper in `.bin` would not pass signals on. */
export const node = join(root, "node_modules", "node", "bin", "node");

/** The environment in which the project's tools are found before the machine's. */
export const environment = {
  ...process.env,
  PATH: `${join(root, "node_modules", ".bin")}${delimiter}${process.env.PATH}`,
  TURBO_TELEMETRY_DISABLED: "1",
};

/**
 * Runs a program to its end.
 *
 * @param {{ cwd?: string, quiet?: boolean }} [options] quiet: show what it prints only if it fails.
 * @throws Error if it fails.
 */
export function run(program, args, { cwd = root, quiet = false } = {}) {
  const stdio = quiet ? "pipe" : "inherit";
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, env: environment, stdio });
  if (status === 0) return;
  if (quiet) process.stderr.write(`${stdout ?? ""}${stderr ?? ""}`);
  throw new Error(`${program} ${args.join(" ")} failed`, { cause: error });
}
