import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, promisify } from "node:util";
import { COMPILE_CACHE, startServer, type TestServer } from "./server.js";
import type { ShellBlock } from "./shell-block.js";

const REPOSITORY = fileURLToPath(new URL("../../../..", import.meta.url));

const PROGRAMS = join(REPOSITORY, "node_modules", ".bin");

/**
 * Shell scripts that replace the programs in the pages' shell blocks. `npx` runs a program without npm. `calltrack-server` runs only for seconds, so
 * V8 neither optimizes its WebAssembly nor validates functions that do not run.
 *
 * `curl` fails on an error response. It runs the real curl by an absolute path, because a page may change the PATH.
 */
const REPLACEMENTS = {
  npx: `exec "$@"`,
  "calltrack-server": `exec node --liftoff-only --wasm-lazy-validation "${join(REPOSITORY, "apps/server/dist/bundle/main.js")}" "$@"`,
  curl: `exec ${execFileSync("sh", ["-c", "command -v curl"], { encoding: "utf8" }).trim()} --fail-with-body "$@"`,
};

/** An entry of the audit log: a change that a block made. */
export interface AuditEntry {
  readonly occurred_at: string;
  readonly method: string;
  readonly account_token: string | null;
  readonly resource_type: string;
  readonly resource_id: string;
  /** The resource before the change; null for a new one. */
  readonly before: object | null;
  readonly after: object;
}

/** Runs the documentation's shell blocks in order, in a folder of their own, against a server of their own instead of `localhost:8080`. */
export class DocumentationShell implements AsyncDisposable {
  readonly #folder: string;
  #server: TestServer | undefined;
  #settings: ShellBlock["server"] = {};
  #url: URL;

  private constructor(folder: string, server: TestServer) {
    this.#folder = folder;
    this.#server = server;
    this.#url = new URL(server.url);
  }

  /**
   * @param folder an empty folder for the replaced programs, the working directory and the server's data.
   */
  static async start(folder: string): Promise<DocumentationShell> {
    await mkdir(join(folder, "bin"));
    for (const [name, text] of Object.entries(REPLACEMENTS))
      await writeFile(join(folder, "bin", name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    await mkdir(join(folder, "work"));
    await symlink(join(REPOSITORY, "examples"), join(folder, "work", "examples"));
    // With `PORT=0`, the server would not know its URL, which it tells phone systems.
    const PORT = String(await findFreePort());
    return new DocumentationShell(
      folder,
      await startServer({ dataDir: join(folder, "work", ".data"), settings: { PORT } }),
    );
  }

  /**
   * Runs a block with the shell variables that earlier blocks set. Returns the block's output on stdout.
   *
   * @throws Error with the block's output if the block fails or, with the mark `fails`, succeeds.
   */
  async run({ script, mode, server }: Pick<ShellBlock, "script" | "mode" | "server">): Promise<string> {
    if (server !== undefined) await this.#configure(server);
    const variables = join(this.#folder, "variables");
    const text = script.replaceAll("localhost:8080", `127.0.0.1:${this.#url.port}`);
    const lines = ["set -aeuo pipefail", `[ ! -e ${variables} ] || . ${variables}`, text, `export -p >${variables}`];
    const { PATH = "", HOME = "" } = process.env;
    const env = {
      PATH: `${join(this.#folder, "bin")}${delimiter}${PROGRAMS}${delimiter}${PATH}`,
      HOME,
      XDG_CONFIG_HOME: join(this.#folder, "config"),
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      CALLTRACK_SERVER: this.#url.origin,
    };
    const cwd = join(this.#folder, "work");
    const end = await promisify(execFile)("bash", ["-c", lines.join("\n")], { cwd, env }).catch((error) => error);
    const hasFailed = end instanceof Error;
    if (hasFailed !== (mode === "fails")) {
      throw new Error(`${hasFailed ? "failed" : "did not fail"}:\n${script}\n${end.stdout}${end.stderr}`);
    }
    return end.stdout;
  }

  /** Gives the server its default settings, and reads the audit log, including entries without an account. */
  async readAudit(): Promise<readonly AuditEntry[]> {
    await this.#configure({});
    const read = async <Answer>(path: string): Promise<Answer> => {
      const response = await fetch(new URL(`/call_tracking/${path}`, this.#url));
      if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
      return (await response.json()) as Answer;
    };
    const accounts = await read<readonly { id: number }[]>("accounts");
    const logs = ["audit_entries", ...accounts.map(({ id }) => `accounts/${id}/audit_entries`)];
    return (await Promise.all(logs.map((log) => read<AuditEntry[]>(`${log}?page_size=1000`)))).flat();
  }

  /** Restarts the server if it runs with other settings. */
  async #configure(settings: Exclude<ShellBlock["server"], undefined>): Promise<void> {
    if (isDeepStrictEqual(settings, this.#settings)) return;
    this.#settings = settings;
    await this.#server?.stop();
    this.#server = undefined;
    if (settings === "stopped") return;
    const { port } = this.#url;
    const dataDir = join(this.#folder, "work", ".data");
    this.#server = await startServer({ dataDir, settings: { ...settings, PORT: port } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.stop();
  }
}

async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}
