// The entry point of every npm script. It requires only Node.js 20 and npm: it installs the pinned pnpm, all dependencies and the pinned Node.js if
// they are missing, and then runs a command. After this program, some npm scripts run another tool.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { NODE_FLAGS } from "../apps/server/node-flags.js";
import { installDependencies } from "./install.mjs";
import { readLicenses } from "./licenses.mjs";
import { describeNextSteps } from "./next-steps.mjs";
import { findToolCommand, nodeBinary, repositoryRoot, runTool, toolEnvironment } from "./process.mjs";
import { writeRelease } from "./release.mjs";
import { writeSbom } from "./sbom.mjs";

const PARENT_CHECK_MS = 250;

const commands = {
  // Empty, because every command first installs the dependencies.
  install() {},
  build,
  start() {
    build();
    const { DATABASE_URL, DATA_DIR = ".data" } = process.env;
    if (DATABASE_URL === undefined && !existsSync(DATA_DIR)) {
      console.error(`Creating the embedded database in ${DATA_DIR}`);
    }
    serve([...NODE_FLAGS, "apps/server/dist/bundle/main.js"], showNextSteps);
  },
  dev() {
    build();
    const [file, ...entry] = findToolCommand("tsc");
    const options = { cwd: repositoryRoot, env: toolEnvironment, stdio: "inherit" };
    const watch = spawn(file, [...entry, "-b", "--watch", "--preserveWatchOutput"], options);
    process.once("exit", () => watch.kill());
    serve(["--watch", "--watch-preserve-output", "apps/server/dist/main.js"]);
  },
  async test(options) {
    try {
      build();
      // Imported late, because the module needs installed dependencies.
      await (await import("./checks.mjs")).runChecks();
    } catch (error) {
      console.log("\n0 passed, 1 failed");
      throw error;
    }
    // By default, Vitest uses one worker fewer than there are cores. Additional workers run tests while others wait for processes, disks and
    // timeouts. The option is on the command line, because projects do not inherit this setting from the workspace's config.
    const vitest = ["run", `--maxWorkers=${availableParallelism() + 4}`, ...options];
    // As in vitest.options.ts: a large young generation saves processor time.
    runTool("vitest", vitest, { nodeFlags: ["--min-semi-space-size=32"] });
  },
  example() {
    build();
    serve(["examples/shop/shop.ts"]);
  },
  licenses() {
    for (const { name, versions, license } of readLicenses()) console.log(`${name} ${versions.join(", ")}: ${license}`);
  },
  sbom([file]) {
    writeSbom(file ?? "calltrack.cdx.json");
  },
  "release:dry"([folder]) {
    build();
    writeRelease(resolve(folder ?? "release"));
  },
};

function build() {
  // Vitest sets Vite's environment variables. With framework inference, turbo would count them as inputs of the build, and a test that starts the
  // server would build again.
  const options = ["--framework-inference=false", "--output-logs=errors-only"];
  runTool("turbo", ["run", "build", ...options], { output: "stderr" });
}

/**
 * Runs the server in the foreground and exits with its code.
 *
 * @param {(text: string) => void} [onOutput] is called with the server's output, which is also printed.
 */
function serve(args, onOutput) {
  const stdio = ["inherit", onOutput === undefined ? "inherit" : "pipe", "inherit"];
  const server = spawn(nodeBinary, args, { cwd: repositoryRoot, env: toolEnvironment, stdio });
  server.stdout?.setEncoding("utf8").on("data", (text) => {
    process.stdout.write(text);
    onOutput(text);
  });
  server.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 143)));
  process.on("SIGTERM", () => server.kill("SIGTERM"));
  // A terminal sends Ctrl-C to the server as well, and a second signal would stop the server without draining.
  process.on("SIGINT", () => process.stdin.isTTY || server.kill("SIGINT"));
  // npm runs this script in a shell. SIGTERM to npm ends the shell, which does not forward the signal. A changed parent process therefore means that
  // the server must stop.
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    server.kill("SIGTERM");
  }, PARENT_CHECK_MS);
}

function showNextSteps(output) {
  const [, url] = /^listening on (\S+)$/m.exec(output) ?? [];
  if (url !== undefined) console.error(`\n${describeNextSteps(url, process.env).join("\n")}\n`);
}

const [name, ...options] = process.argv.slice(2);
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
if (command === undefined) {
  console.error(`usage: node scripts/run.mjs ${Object.keys(commands).join(" | ")}`);
  process.exit(2);
}
try {
  installDependencies();
  await command(options);
} catch (error) {
  console.error(error.message, error.cause ?? "");
  process.exit(1);
}
