import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { onTestFinished, test } from "vitest";
import { createFolder } from "./testing/create-folder.js";
import { lacksProgram } from "./testing/lacks-program.js";
import { pollUntil } from "./testing/poll-until.js";
import { runCommand, runJson } from "./testing/run-command.js";
import { addPool, createAccount } from "./testing/sample-pool.js";
import { startServer } from "./testing/server.js";

const PAGE = readFileSync(new URL("../../../docs/events.md", import.meta.url), "utf8");

const lacksPython = await lacksProgram("python3", "-c", "import urllib.request");

const folder = createFolder();

/** The languages of the samples, with the file and command of each. */
const LANGUAGES = [
  { language: "js", file: "mirror.mjs", command: [process.execPath], isMissing: false },
  { language: "python", file: "mirror.py", command: ["python3"], isMissing: lacksPython },
] as const;

/** Reads all resources that a sample copies, keyed by their paths. */
async function readLists(url: string): Promise<Record<string, object>> {
  const resources: Record<string, object> = {};
  async function add(path: string, method = ""): Promise<readonly { readonly id: string }[]> {
    const response = await fetch(`${url}${path}${method}`);
    const items = (await response.json()) as { readonly id: string }[];
    for (const item of items) resources[`${path}/${item.id}`] = item;
    return items;
  }
  const account = "/dni_manager/accounts/acme";
  for (const { id } of await add(`${account}/pools`)) await add(`${account}/pools/${id}/call_trackers`);
  await add(`${account}/calls`, ":export");
  return resources;
}

test.for(LANGUAGES)(
  "the mirror in $language equals the lists",
  async ({ language, file, command, isMissing }, context) => {
    context.skip(isMissing, "needs Python");
    const home = join(folder, language);
    await mkdir(home);
    let server = await startServer();
    onTestFinished(() => server.stop());
    const { url } = server;
    const json = (...args: string[]) => runJson(args, { server: url });
    const shared = {
      url,
      json,
      run: (...args: string[]) => runCommand(args, { server: url }),
      refusal: () => Promise.reject(),
    };
    const [, text = ""] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "m").exec(PAGE) ?? [];
    await writeFile(join(home, file), text.replaceAll("http://localhost:8080", url));

    /** Starts the sample. Returns the function that kills it. */
    function startMirror(): () => Promise<void> {
      const sample = spawn(command[0], [file], { cwd: home, stdio: "ignore" });
      const kill = async () => {
        if (sample.exitCode !== null || sample.signalCode !== null) return;
        sample.kill("SIGKILL");
        await once(sample, "exit");
      };
      onTestFinished(kill);
      return kill;
    }

    async function becomesEqual(): Promise<void> {
      await pollUntil(async () => {
        if (!existsSync(join(home, "mirror.json"))) return false;
        const { resources } = JSON.parse(readFileSync(join(home, "mirror.json"), "utf8"));
        return isDeepStrictEqual(resources, await readLists(url));
      });
    }

    async function createData(size: string): Promise<string> {
      await createAccount(shared, "acme");
      const pool = await addPool(shared, "acme", "--area-code", "222", "--size", size);
      const input = "phone_number,area_code\n+12225550001,222\n+12225550002,222\n+12225550003,222\n";
      await runCommand(["inventory", "import", "-"], { server: url, input });
      await pollUntil(async () => (await json("trackers", "list", "acme", pool)).length === Number(size));
      return pool;
    }

    const pool = await createData("2");
    const call = async (id: string, ...args: string[]) => {
      const [tracker] = await json("trackers", "list", "acme", pool);
      await json("calls", "record", String(tracker?.tracking_number), "--call-id", id, ...args);
    };
    await call("before");
    const kill = startMirror();
    await becomesEqual();
    await call("during", "--caller", "+12125550123");
    await json("pools", "update", "acme", pool, "--size", "3");
    await becomesEqual();
    await json("calls", "forget", "acme", "+12125550123");
    await json("pools", "update", "acme", pool, "--size", "1");
    await becomesEqual();
    await kill();
    await call("while-it-is-away");
    startMirror();
    await becomesEqual();
    // Replaces the server with one that has another event log and other resources, but the same account.
    await server.stop();
    server = await startServer({ settings: { PORT: new URL(url).port } });
    await createData("1");
    await becomesEqual();
  },
);
