import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const repositoryRoot = dirname(dirname(fileURLToPath(import.meta.url)));

const isWindows = process.platform === "win32";

/**
 * The path of the Node.js binary that the project installs. Unlike the binary, the wrapper in `.bin` does not forward signals to the process that it
 * starts.
 */
export const nodeBinary = join(repositoryRoot, "node_modules", "node", "bin", isWindows ? "node.exe" : "node");

/** The environment of child processes, in which the project's tools take precedence over the machine's. */
export const toolEnvironment = {
  ...process.env,
  PATH: `${join(repositoryRoot, "node_modules", ".bin")}${delimiter}${process.env.PATH}`,
  TURBO_TELEMETRY_DISABLED: "1",
};

/** Maps each JavaScript tool to its package. Node.js starts the tool's file, because Windows would need a shell for the wrapper in `.bin`. */
const PACKAGES = new Map([
  ["biome", "@biomejs/biome"],
  ["buf", "@bufbuild/buf"],
  ["cspell", "cspell"],
  ["pnpm", "pnpm"],
  ["tsc", "typescript"],
  ["turbo", "turbo"],
  ["vitest", "vitest"],
]);

/** Where the output of a program goes. `quiet` shows it only if the program fails; `stderr` keeps stdout free for another program. */
const STDIO = { shown: "inherit", quiet: "pipe", stderr: ["inherit", 2, 2] };

/**
 * Runs one of the project's tools, or an executable, and waits until it exits.
 *
 * @param {{ cwd?: string, output?: keyof typeof STDIO, nodeFlags?: string[] }} [options] `nodeFlags` are for tools that Node.js runs.
 * @throws Error if the program fails.
 */
export function runTool(program, args, { cwd = repositoryRoot, output = "shown", nodeFlags = [] } = {}) {
  const [file, ...entry] = findToolCommand(program);
  const options = { cwd, env: toolEnvironment, stdio: STDIO[output] };
  const { status, stdout, stderr, error } = spawnSync(file, [...nodeFlags, ...entry, ...args], options);
  if (status === 0) return;
  if (output === "quiet") process.stderr.write(`${stdout ?? ""}${stderr ?? ""}`);
  throw new Error(`${program} ${args.join(" ")} failed`, { cause: error });
}

export function runNpm(args, options) {
  // npm sets `npm_execpath` to the path of its JavaScript file, which Node.js can run. On Windows, npm's wrapper script would need a shell. Other
  // package managers set `npm_execpath` to their own path.
  const { npm_execpath: npm = "" } = process.env;
  if (/npm-cli\.[cm]?js$/.test(npm)) runTool(process.execPath, [npm, ...args], options);
  else runTool("npm", args, options);
}

/**
 * Returns the command line that starts a program. For the project's tools, this is Node.js and the tool's file.
 *
 * @returns {string[]}
 */
export function findToolCommand(program) {
  const name = PACKAGES.get(program);
  if (name === undefined) return [program];
  const folder = join(repositoryRoot, "node_modules", name);
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return [nodeBinary, join(folder, bin[program])];
}
