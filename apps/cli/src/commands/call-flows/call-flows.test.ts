import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { OutputRow } from "../../output/output-row.js";
import { createFolder } from "../../testing/create-folder.js";
import { createFilledPool } from "../../testing/sample-pool.js";
import { startSharedServer } from "../../testing/shared-server.js";

const folder = createFolder();
const server = await startSharedServer({ settings: { PASS_INTERVAL: "1s" } });
const { run, json } = server;
const pool = await createFilledPool(server, "acme", "415", 1, "--prompted");

/** Runs a subcommand of `call-flows`, and returns the settings that are set afterwards. */
async function settingsAfter(command: string, ...args: string[]): Promise<OutputRow> {
  const { settings } = await json("call-flows", command, "acme", ...args);
  const set = Object.entries(settings as OutputRow).filter(([, cell]) => cell !== null && String(cell) !== "");
  return Object.fromEntries(set);
}

test("set changes only the given settings, and reset removes all", async () => {
  const first = await settingsAfter("set", pool, "--ring-seconds", "25", "--prompt-text", "Hello");
  expect(first).toEqual({ ring_seconds: 25, prompt_text: "Hello" });
  const url = "https://sounds.example/hello.mp3";
  const second = await settingsAfter("set", pool, "--prompt-url", url, "--recording", "off");
  expect(second).toEqual({ ring_seconds: 25, prompt_url: url, recording: "off" });
  expect(await settingsAfter("set", pool, "--unset", "prompt_url,recording")).toEqual({ ring_seconds: 25 });
  const defaults = await settingsAfter("set", "--default", "--ring-seconds", "30", "--max-minutes", "5");
  expect(defaults).toEqual({ ring_seconds: 30, max_minutes: 5 });
  const { effective } = await json("call-flows", "get", "acme", pool);
  expect(effective).toMatchObject({ ring_seconds: 25, max_minutes: 5, prompt: "on" });
  expect(await settingsAfter("reset", pool)).toEqual({});
});

test("--from-file replaces all settings with the documented JSON", async () => {
  const file = join(folder, "flow.json");
  const periods = [{ days: ["monday", "friday"], opens: "09:00", closes: "18:00" }];
  const settings = {
    ...{ prompt: "off", hours: { time_zone: "Europe/Berlin", periods }, closed_dates: ["2026-12-25"] },
    special_days: [{ date: "2026-12-24", periods: [{ opens: "09:00", closes: "13:00" }] }],
  };
  // Some editors begin a file with a byte order mark.
  await writeFile(file, `\uFEFF${JSON.stringify({ ...settings, prompt_text: null })}`);
  expect(await settingsAfter("set", pool, "--from-file", file)).toEqual(settings);
  await writeFile(file, '{"ring": 5}');
  for (const source of [file, join(folder, "missing.json")]) {
    const { exitCode, stderr } = await run("call-flows", "set", "acme", pool, "--from-file", source);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`settings in ${source}`);
  }
});

test("--from-file sets steps, which no other option removes", async () => {
  const file = join(folder, "steps.json");
  const steps = [
    { targets: [{ original: true }, { phone_number: "+12125550101" }], order: "at_once", ring_seconds: 25 },
    { targets: [{ sip_uri: "sip:reception@pbx.example.com" }] },
  ];
  await writeFile(file, JSON.stringify({ steps }));
  expect(await settingsAfter("set", pool, "--from-file", file)).toMatchObject({ steps });
  expect(await settingsAfter("set", pool, "--ring-seconds", "9")).toMatchObject({ steps, ring_seconds: 9 });
  const refused = await run("call-flows", "set", "acme", pool, "--fallback-number", "+12125550102");
  expect(refused).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("use a step with this number instead"),
  });
  const replaced = await settingsAfter("set", pool, "--fallback-number", "+12125550102", "--unset", "steps");
  expect(replaced).toEqual({ fallback_number: "+12125550102", ring_seconds: 9 });
});

test("shows the settings that apply as a table, with warnings on stderr", async () => {
  await run("call-flows", "reset", "acme", pool);
  const { stdout, stderr } = await run("call-flows", "set", "acme", pool, "--closed-text", "Closed");
  expect(stdout).toMatch(/^prompt +on\n/);
  expect(stdout).toMatch(/^closed_text +Closed$/m);
  expect(stderr).toMatch(/^warning: .*closed_text has no effect$/m);
});

test("set rejects a placeholder that has no effect", async () => {
  const { exitCode, stderr } = await run("call-flows", "set", "acme", pool, "--whisper-text", "Call from {caller}");
  expect(exitCode).toBe(1);
  expect(stderr).toContain("settings.whisper_text: must not contain braces, except in the placeholder {source}");
});

test("--if-match makes an update conditional", async () => {
  const { stdout } = await run("call-flows", "get", "acme", pool, "--etag");
  const change = ["call-flows", "reset", "acme", pool, "--if-match", stdout.trim()];
  expect(await run(...change)).toMatchObject({ exitCode: 0 });
  expect(await run(...change)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("etag") });
});

test.each([[], ["--default"]])("get needs a pool or --default, not both", async (...options) => {
  const pools = options.length > 0 ? [pool] : [];
  const { exitCode, stderr } = await run("call-flows", "get", "acme", ...pools, ...options);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("pass either a pool") });
});

test("calls explain shows the steps of a call", async () => {
  const { stdout } = await run("calls", "explain", "+14155550000");
  expect(stdout).toMatch(/^step +is_done +description$/m);
  expect(stdout).toMatch(/^dial +true +rings \+12223334444 for/m);
  expect(stdout).toContain("is not connected to a phone system");
  const { steps } = await json("calls", "explain", "+14155550000", "--at", "2026-12-25T08:30:00Z");
  expect((steps as OutputRow[]).map(({ step }) => step)).toContain("prompt");
  const loop = await json("calls", "explain", "+14155550000", "--caller", "+14155550000");
  const honest = await json("calls", "explain", "+14155550000", "--redirected-by", "+14155550000");
  const stepsOf = ({ steps }: OutputRow) => (steps as OutputRow[]).map(({ step }) => step);
  expect([stepsOf(loop), stepsOf(honest)]).toEqual([["reject"], expect.arrayContaining(["dial"])]);
});
