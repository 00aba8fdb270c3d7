import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root folder. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const isWindows = process.platform === "win32";

/** The project's own Node.js binary. Its wrapper in `.bin` does not forward signals. */
export const node = join(root, "node_modules", "node", "bin", isWindows ? "node.exe" : "node");

/** Environment in which the project's tools precede those of the machine. */
export const environment = {
  ...process.env,
  PATH: `${join(root, "node_modules", ".bin")}${delimiter}${process.env.PATH}`,
  TURBO_TELEMETRY_DISABLED: "1",
};

/** Packages of the JavaScript tools. Node.js starts them directly, because Windows would need a shell for their wrappers. */
const PACKAGES = new Map([
  ["biome", "@biomejs/biome"],
  ["buf", "@bufbuild/buf"],
  ["pnpm", "pnpm"],
  ["stryker", "@stryker-mutator/core"],
  ["tsc", "typescript"],
  ["turbo", "turbo"],
  ["vitest", "vitest"],
]);

/**
 * Runs one of the project's tools, or an executable, and waits for its exit.
 *
 * @param {{ cwd?: string, quiet?: boolean }} [options] quiet: print its output only if it fails.
 * @throws Error if it fails.
 */
export function run(program, args, { cwd = root, quiet = false } = {}) {
  const [file, ...entry] = commandOf(program);
  const stdio = quiet ? "pipe" : "inherit";
  const { status, stdout, stderr, error } = spawnSync(file, [...entry, ...args], { cwd, env: environment, stdio });
  if (status === 0) return;
  if (quiet) process.stderr.write(`${stdout ?? ""}${stderr ?? ""}`);
  throw new Error(`${program} ${args.join(" ")} failed`, { cause: error });
}

/** Runs npm. */
export function runNpm(args, options) {
  const [program, ...rest] = npmCommand(args);
  run(program, rest, options);
}

/**
 * Returns the command line of npm, without the shell that its script needs on Windows.
 *
 * @returns {[program: string, ...args: string[]]}
 */
export function npmCommand(args) {
  // npm sets this variable for every script. Other package managers set their own, and npm is then found on the PATH.
  const { npm_execpath: npm = "" } = process.env;
  return /npm-cli\.[cm]?js$/.test(npm) ? [process.execPath, npm, ...args] : ["npm", ...args];
}

/**
 * Returns the command line that starts a program; for the project's tools, Node.js and the tool's file.
 *
 * @returns {string[]}
 */
export function commandOf(program) {
  const name = PACKAGES.get(program);
  if (name === undefined) return [program];
  const folder = join(root, "node_modules", name);
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return [node, join(folder, bin[program])];
}
