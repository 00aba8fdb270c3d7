import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createFolder } from "@calltrack/postgres/testing/create-folder";
import { expect, test } from "vitest";

const SCRIPTS = fileURLToPath(new URL("../../../scripts", import.meta.url));

const FOLDER = createFolder();

/** Prints warnings about which a newcomer can do nothing, as pnpm does on stdout and npm on stderr. */
const NOISE = `
console.log("apps/server | WARN Unsupported engine: wanted: {node: >=22} (current: {node: v20})");
console.log("Update available! 10.34.9 -> 12.21.0.");
console.error('npm warn Unknown env config "strict-dep-builds". This will stop working in the next major version of npm.');
`;

interface Installation {
  readonly exitCode: number;
  readonly output: string;
}

/** Installs the dependencies of a fresh checkout twice. The JavaScript code in `npm` replaces npm. */
async function installTwice(npm: string): Promise<Installation> {
  const root = await mkdtemp(join(FOLDER, "checkout-"));
  await cp(SCRIPTS, join(root, "scripts"), { recursive: true });
  for (const folder of ["apps", "packages", "benchmarks", "node_modules"]) await mkdir(join(root, folder));
  for (const folder of [".", "benchmarks"]) {
    await writeFile(join(root, folder, "package.json"), JSON.stringify({ packageManager: "pnpm@10.34.9" }));
  }
  await writeFile(join(root, "npm-cli.js"), NOISE + npm);
  const script =
    'import { installDependencies } from "./scripts/install.mjs"; installDependencies(); installDependencies();';
  const args = ["--input-type=module", "--eval", script];
  const env = { ...process.env, npm_execpath: join(root, "npm-cli.js") };
  return new Promise((resolve) =>
    execFile(process.execPath, args, { cwd: root, env }, (error, stdout, stderr) =>
      resolve({ exitCode: Number(error?.code ?? 0), output: stdout + stderr }),
    ),
  );
}

test("an installation prints one line, and no warning of a package manager", async () => {
  const line = "Installing dependencies; the first time, this takes a minute or two\n";
  expect(await installTwice("")).toEqual({ exitCode: 0, output: line });
});

test("a failed installation prints everything", async () => {
  const { exitCode, output } = await installTwice('console.log("ERR_PNPM_FETCH_404"); process.exit(1);');
  expect(exitCode).toBe(1);
  for (const text of ["Installing dependencies", "Unsupported engine", "Unknown env config", "ERR_PNPM_FETCH_404"]) {
    expect(output).toContain(text);
  }
});
