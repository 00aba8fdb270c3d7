import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the repository. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const isWindows = process.platform === "win32";

/** The project's own Node.js: the binary itself, because its wrapper in `.bin` passes no signals on. */
export const node = join(root, "node_modules", "node", "bin", isWindows ? "node.exe" : "node");

/** The environment in which the project's tools are found before the machine's. */
export const environment = {
  ...process.env,
  PATH: `${join(root, "node_modules", ".bin")}${delimiter}${process.env.PATH}`,
  TURBO_TELEMETRY_DISABLED: "1",
};

/** The packages of the tools that are JavaScript. Node.js starts them itself: on Windows nothing else can without a shell. */
const PACKAGES = new Map([
  ["biome", "@biomejs/biome"],
  ["buf", "@bufbuild/buf"],
  ["pnpm", "pnpm"],
  ["tsc", "typescript"],
  ["turbo", "turbo"],
  ["vitest", "vitest"],
]);

/**
 * Runs a program to its end: one of the project's tools, or a file to execute.
 *
 * @param {{ cwd?: string, quiet?: boolean }} [options] quiet: show what it prints only if it fails.
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

/** Runs a package from the registry that is not installed, as npx does. */
export function runPackage(name, args, options) {
  runNpm(["exec", "--yes", "--", name, ...args], options);
}

/** Runs npm, without the shell that its script needs on Windows. */
export function runNpm(args, options) {
  // npm sets it for every script. Another package manager sets its own, and leaves npm to be found on the PATH.
  const { npm_execpath: npm = "" } = process.env;
  if (/npm-cli\.[cm]?js$/.test(npm)) run(process.execPath, [npm, ...args], options);
  else run("npm", args, options);
}

/**
 * The command line that starts a program: the project's Node.js and a file for one of its tools.
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
