import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { formatCsvLines } from "../../output/csv-format.js";
import { cliPath, runCli } from "../../testing/cli.js";
import { createFolder } from "../../testing/create-folder.js";
import { runCommand } from "../../testing/run-command.js";
import { createFilledPool } from "../../testing/sample-pool.js";
import { startSharedServer } from "../../testing/shared-server.js";

const CALLER = "+12125550123";

const folder = createFolder();
const server = await startSharedServer({ settings: { PASS_INTERVAL: "1s" } });
const { run, json } = server;
await createFilledPool(server, "acme", "218", 1);
const number = "+12185550000";

/** A module that sets the clock of Node.js an hour ahead. */
const HASTY = "const now = Date.now; Date.now = () => now() + 3_600_000";

describe("calls", () => {
  test("records a call once, and shows, lists and exports it", async () => {
    const record = ["calls", "record", number, "--call-id", "1", "--caller", CALLER];
    const call = await json(...record);
    expect(call).toMatchObject({ call_id: "1", account_token: "acme", caller_number: CALLER, outcome: "in_progress" });
    expect(await json(...record)).toStrictEqual(call);
    expect(await json("calls", "get", "acme", String(call.id))).toStrictEqual(call);
    expect((await run("calls", "get", "acme", String(call.id), "--etag")).stdout).toMatch(/^"\d+"\n$/);
    const unnamed = await json("calls", "record", number);
    expect(unnamed.call_id).toMatch(/^[\da-f-]{36}$/);
    expect(await json("calls", "list", "acme", "--caller", CALLER, "--from", "1h ago")).toStrictEqual([call]);
    expect(await json("calls", "list", "acme", "--outcome", "missed")).toStrictEqual([]);
    expect(await json("calls", "list", "acme", "--rejected", "LOOP")).toStrictEqual([]);
    const { stdout } = await run("calls", "export", "acme", "--source", "google");
    expect(stdout).toBe("");
    expect((await run("calls", "export", "acme")).stdout.trim().split("\n")).toHaveLength(2);
    const table = await run("calls", "list", "acme", "--limit", "1", "--output", "table");
    expect(table.stdout).toMatch(
      /^id +started_at +number +caller +outcome +rejected +seconds +source +first +answered_by +call_id +pool_id$/im,
    );
  });

  test("imports calls, and creates no duplicates when run again", async () => {
    const [file, rejects] = [join(folder, "calls.csv"), join(folder, "rejects.csv")];
    const start = new Date().toISOString();
    const rows = Array.from({ length: 1500 }, (_, index) => `import-${index},${number},${start}\n`);
    const bad = `bad-1,+19995550000,${start}\nbad-2,${number},\n`;
    await writeFile(file, `call_id,tracking_number,started_at\n${rows.join("")}${bad}`);
    const importFile = () => run("calls", "import", file, "--rejects", rejects, "--output", "json");
    const first = await importFile();
    expect(first.exitCode).toBe(1);
    expect(first.stdout + first.stderr).toContain("1500");
    expect(first.stdout + first.stderr).toMatch(/refused/);
    await importFile();
    const [row] = await json("calls", "report", "acme", "--group-by", "number");
    expect(row).toMatchObject({ tracking_number: number, calls: 1502 });
  });

  test("reports calls as CSV without bars, and as a table with one column per group", async () => {
    const report = ["calls", "report", "acme", "--group-by"];
    const csv = await run(...report, "day,hour", "--output", "csv");
    expect(csv.stdout.split("\n")[0]).toBe(
      "source,medium,property_token,pool_id,tracking_number,day,hour,calls,answered,missed,first_calls,total_seconds," +
        "average_seconds,visits,calls_per_100_visits,abandoned,unknown,voicemail,channel",
    );
    expect(csv.stdout).not.toContain("█");
    const table = await run(...report, "day", "--time-zone", "Europe/Berlin", "--output", "table");
    expect(table.stdout).toMatch(/^day +calls +answered +missed/i);
    expect((await run(...report, "weather")).exitCode).toBe(2);
    expect((await run("calls", "report", "acme", "--time-zone", "Mars/Olympus")).stderr).toContain("time_zone must be");
  });

  test("reports visits by day, and for whole days up to now", async () => {
    expect(await json("calls", "report", "acme", "--group-by", "day")).toMatchObject([{ visits: 0 }]);
    for (const from of ["7d", "7d ago"]) {
      expect(await json("calls", "report", "acme", "--from", from)).toMatchObject([{ visits: 0 }]);
    }
    expect(await json("calls", "report", "acme", "--from", "36h")).toMatchObject([{ visits: null }]);
  });

  test.each([
    ...["2026-11-21T08:30:00Z", "2026-02-28T23:59:59.123456789+14:00", "2028-02-29T00:00:00Z", "9999-12-31T23:59:59Z"],
    ...["2027-02-30T00:00:00Z", "2026-11-31T00:00:00+01:00", "2026-11-21T24:00:00Z", "2026-11-21T25:00:00Z"],
    ...["2026-11-21T08:30:60Z", "2026-11-21T08:30:00+24:00", "2026-11-21t08:30:00z", "0000-12-31T00:00:00Z"],
  ])("accepts the time %s in an option and a file if the server accepts it", async (time) => {
    const path = `/dni_manager/accounts/acme/calls?from=${encodeURIComponent(time)}`;
    const isAccepted = (await run("api", "GET", path)).exitCode === 0;
    const option = await run("calls", "list", "acme", "--from", time);
    expect(option.exitCode).toBe(isAccepted ? 0 : 2);
    const row = { call_id: "odd", tracking_number: "+19995550000", started_at: time };
    for (const [format, text] of [
      ["csv", formatCsvLines([Object.keys(row), Object.values(row)])],
      ["jsonl", JSON.stringify(row)],
    ]) {
      const args = ["calls", "import", "-", "--format", String(format)];
      const { stderr } = await runCommand(args, { server: server.url, input: String(text) });
      expect(/line \d: started_at must be a time such as/.test(stderr)).toBe(!isAccepted);
    }
  });

  test("forgets a caller, and resolves a call at a given time", async () => {
    expect(await json("calls", "forget", "acme", CALLER)).toStrictEqual({ calls: 1 });
    expect(await json("calls", "list", "acme", "--caller", CALLER)).toStrictEqual([]);
    const at = new Date().toISOString();
    const resolve = ["calls", "resolve", number, "--at"];
    expect(await json(...resolve, at)).toMatchObject({ account_token: "acme", held_until: null });
    expect((await run(...resolve, "2001-01-01T00:00:00Z")).stderr).toContain("at must not be before");
  });

  test("imports a spreadsheet with semicolons, local times, and numbers as people write them", async () => {
    const zone = "Asia/Kolkata";
    const format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" });
    const now = new Date(new Date().setUTCMilliseconds(0));
    const start = format.format(now);
    const rows = [
      ["call_id", "tracking_number", "caller_number", "started_at", ""],
      ["", "", "", "", ""],
      ["sheet-1", number, "Anonymous", start, ""],
      ["sheet-2", number.replace("+", "00"), "+1 (212) 555-0199", start, ""],
      ["sheet-3", number, "2125550199", start, ""],
    ];
    const input = rows.map((row) => `${row.join(";")}\r\n`).join("");
    const args = ["calls", "import", "-", "--time-zone", zone, "--output", "json"];
    const { stdout, stderr } = await runCommand(args, { server: server.url, input });
    expect(JSON.parse(stdout)).toMatchObject({ rows: 3, created: 2, refused: 1 });
    expect(stderr).toMatch(/^line 5: caller_number must be .*: add the country code and the plus sign/);
    const calls = await json("calls", "list", "acme", "--limit", "2");
    expect(calls.toSorted((one, other) => String(one.call_id).localeCompare(String(other.call_id)))).toMatchObject([
      { call_id: "sheet-1", caller_number: null, started_at: now.toISOString() },
      { call_id: "sheet-2", caller_number: "+12125550199", started_at: now.toISOString() },
    ]);
    expect((await run("calls", "import", "-", "--time-zone", "Mars/Olympus")).stderr).toContain("Europe/Berlin");
  });

  test("protects CSV sources that spreadsheets would run as formulas", async () => {
    for (const source of ["=cmd|' /c calc'!a0", "＝1+1", "a;=1+1"]) {
      const visit = ["visits", "record", "acme", "--property", "shop", "--source", source, "--medium", "@sum(1)"];
      expect(await run(...visit)).toMatchObject({ exitCode: 0, stderr: "" });
    }
    const options = ["--from", "1d", "--group-by", "source,medium", "--output", "csv"];
    const { stdout } = await run("calls", "report", "acme", ...options);
    for (const cells of ["'=cmd|' /c calc'!a0,'@sum(1),", "'＝1+1,'@sum(1),", "a;'=1+1,'@sum(1),"]) {
      expect(stdout).toContain(`\n${cells}`);
    }
  });
});

describe("durations in options", () => {
  test("count from the time of the server, not of this machine", async () => {
    const call = await json("calls", "record", number, "--call-id", "hasty", "--caller", "+12125550177");
    const program = [process.execPath, "--import", `data:text/javascript,${HASTY}`, cliPath] as const;
    const runHasty = async (...args: string[]) => {
      const { exitCode, stdout, stderr } = await runCli([...args, "--output", "json"], { server: server.url, program });
      expect({ exitCode, stderr }).toStrictEqual({ exitCode: 0, stderr: "" });
      return JSON.parse(stdout);
    };
    expect(await runHasty("calls", "list", "acme", "--caller", "+12125550177", "--from", "10m ago")).toMatchObject([
      { id: call.id },
    ]);
    expect(await runHasty("calls", "list", "acme", "--caller", "+12125550177", "--to", "10m ago")).toStrictEqual([]);
    expect(await runHasty("calls", "export", "acme", "--to", "10m", "--from", "20m")).toStrictEqual([]);
    expect(await runHasty("audit", "list", "acme", "--since", "10m", "--limit", "1")).toHaveLength(1);
    expect(await runHasty("calls", "report", "acme", "--from", "10m")).not.toHaveLength(0);
    const key = await runHasty("keys", "create", "--scope", "read", "--expires", "90m");
    expect(Date.parse(key.expires_at) - Date.parse(key.created_at)).toBeLessThan(100 * 60_000);
  });
});
