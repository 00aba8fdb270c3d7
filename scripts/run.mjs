// The entry point of every npm script. It needs only Node 20 and npm: it installs what is missing (the pinned pnpm, all
// dependencies, and the project's Node.js), builds, and runs the command.
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { NODE_FLAGS } from "../apps/server/node-flags.js";
import { install } from "./install.mjs";
import { readLicences } from "./licences.mjs";
import { runMutants } from "./mutants.mjs";
import { commandOf, environment, node, root, run } from "./process.mjs";
import { writeSbom } from "./sbom.mjs";

const PARENT_CHECK_MS = 250;

const commands = {
  build,
  start() {
    build();
    serve([...NODE_FLAGS, "apps/server/dist/main.js"]);
  },
  dev() {
    build();
    const [file, ...entry] = commandOf("tsc");
    const options = { cwd: root, env: environment, stdio: "inherit" };
    const watch = spawn(file, [...entry, "-b", "--watch", "--preserveWatchOutput"], options);
    process.once("exit", () => watch.kill());
    serve(["--watch", "--watch-preserve-output", "apps/server/dist/main.js"]);
  },
  async test(options) {
    try {
      build();
      // Imported late, because it needs installed dependencies.
      (await import("./checks.mjs")).runChecks();
    } catch (error) {
      console.log("\n0 passed, 1 failed");
      throw error;
    }
    // By default vitest uses one worker less than there are cores. With one more, tests run while others wait for processes and
    // timeouts. Projects do not inherit this setting from the workspace's config.
    run("vitest", ["run", `--maxWorkers=${availableParallelism() + 1}`, ...options]);
  },
  fix() {
    run("biome", ["check", "--write", "."]);
    run("buf", ["format", "--write", "proto"]);
  },
  openapi(options) {
    build();
    run(node, ["apps/server/dist/main.js", "openapi", ...options]);
  },
  example() {
    build();
    serve(["examples/shop/shop.ts"]);
  },
  screenshots() {
    build();
    run(node, ["apps/console/screenshots.mjs"]);
  },
  licences() {
    for (const { name, versions, licence } of readLicences()) console.log(`${name} ${versions.join(", ")}: ${licence}`);
  },
  audit() {
    run("pnpm", ["audit", "--prod"]);
  },
  mutants(options) {
    build();
    runMutants(options);
  },
  async platforms() {
    (await import("./platforms.mjs")).checkPlatforms();
  },
  sbom([file]) {
    writeSbom(file ?? "calltrack.cdx.json");
  },
  bench(options) {
    build();
    run(node, ["benchmarks/run.ts", ...options]);
  },
};

function build() {
  run("turbo", ["run", "build", "--output-logs=errors-only", "--log-order=grouped"], { quiet: true });
}

/** Runs the server in the foreground and exits with its code. */
function serve(args) {
  const server = spawn(node, args, { cwd: root, env: environment, stdio: "inherit" });
  server.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 143)));
  process.on("SIGTERM", () => server.kill("SIGTERM"));
  // A terminal sends Ctrl-C to the server as well, and a second signal would stop it without draining.
  process.on("SIGINT", () => process.stdin.isTTY || server.kill("SIGINT"));
  // npm runs this script in a shell, which a SIGTERM to npm ends without forwarding it.
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    server.kill("SIGTERM");
  }, PARENT_CHECK_MS);
}

const [name, ...options] = process.argv.slice(2);
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
if (command === undefined) {
  console.error(`usage: node scripts/run.mjs ${Object.keys(commands).join(" | ")}`);
  process.exit(2);
}
try {
  install();
  await command(options);
} catch (error) {
  console.error(error.message, error.cause ?? "");
  process.exit(1);
}
