import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCli, startCli } from "../testing/cli.js";
import { createFolder } from "../testing/create-folder.js";
import { pollUntil } from "../testing/poll-until.js";
import { runImport, tallyOf } from "../testing/run-import.js";
import { createAccount } from "../testing/sample-pool.js";
import { startSharedServer } from "../testing/shared-server.js";

const folder = createFolder();
const server = await startSharedServer();
const { url, json } = server;

async function writeInput(name: string, lines: readonly string[]): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, lines.map((line) => `${line}\n`).join(""));
  return file;
}

const importFile = (...args: string[]) => runImport(args, { server: url });

/** Returns CSV lines for `count` numbers of an area code. */
function numbers(areaCode: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `+1${areaCode}${5_550_000 + index},${areaCode}`);
}

async function countFree(areaCode: string): Promise<unknown> {
  const [count] = await json("inventory", "count", "--area-code", areaCode);
  return count?.free;
}

describe("the inventory", () => {
  const header = "phone_number,area_code";

  test("imports many batches, and skips all rows of a second import", async () => {
    const file = await writeInput("many.csv", [header, ...numbers("415", 3210)]);
    const first = await importFile("inventory", "import", file);
    expect(first).toStrictEqual({ exitCode: 0, stderr: "", tally: tallyOf({ created: 3210 }) });
    const second = await importFile("inventory", "import", file);
    expect(second).toStrictEqual({ exitCode: 0, stderr: "", tally: tallyOf({ already_there: 3210 }) });
    expect(await countFree("415")).toBe(3210);
  });

  test("refuses invalid lines with their reasons, and imports the rest", async () => {
    await createAccount(server, "owner");
    const rows = [
      ...["+12223334444,222", "2125550001,212", "+12125550002,212", "+12125550002,212", "+12125550002,213"],
      ...["+12125550003,", "+12125550004,212", "+12125550005"],
    ];
    const rejects = join(folder, "rejected.csv");
    const file = await writeInput("wrong.csv", [header, ...rows]);
    const first = await importFile("inventory", "import", file, "--rejects", rejects);
    expect(first.tally).toStrictEqual(tallyOf({ created: 2, already_there: 1, refused: 5 }));
    expect(first.exitCode).toBe(1);
    const lines = first.stderr.split("\n");
    expect(lines[0]).toBe("line 2: +12223334444 is registered as an original number: remove it from the list");
    expect(lines[1]).toMatch(/^line 3: phone_number must be a phone number in E.164 format/);
    expect(lines[2]).toBe("line 6: area_code must be 212, as in the earlier entry for the same number");
    expect(lines[3]).toBe("line 7: area_code is required");
    expect(lines[4]).toBe("line 9: area_code is required");
    const refused = await readFile(rejects, "utf8");
    expect(refused.split("\n").slice(0, 2)).toStrictEqual([
      "reason,phone_number,area_code",
      "'+12223334444 is registered as an original number: remove it from the list,+12223334444,222",
    ]);
    await writeFile(rejects, refused.replace(",2125550001", ",+12125550001"));
    const second = await importFile("inventory", "import", rejects);
    expect(second.tally).toMatchObject({ created: 1, refused: 4 });
  });

  test.each(["grpc", "connect", "grpc-web"])("refuses a whole file over %s", async (protocol) => {
    const wrong = numbers("616", 1200).map((row) => row.replace("+", ""));
    const file = await writeInput(`wrong-${protocol}.csv`, [header, ...wrong]);
    // Runs the built program, because the bundle contains its own copies of the protocol libraries.
    const args = ["inventory", "import", file, "--protocol", protocol];
    const { exitCode, tally: counts, stderr } = await runImport(args, { server: url }, runCli);
    expect({ exitCode, counts }).toStrictEqual({ exitCode: 1, counts: tallyOf({ refused: 1200 }) });
    expect(stderr.split("\n")[1199]).toMatch(/^line 1201: phone_number must be /);
  });

  test("gives each of many refused rows its own reason only", async () => {
    const rows = numbers("617", 500).map((row) => `${row.split(",")[0]},123456`);
    const file = await writeInput("reasons.csv", [header, ...rows]);
    const { stderr } = await importFile("inventory", "import", file);
    const reasons = new Set(
      stderr
        .split("\n")
        .slice(0, 500)
        .map((line) => line.replace(/^line \d+: /, "")),
    );
    expect([...reasons]).toHaveLength(1);
    expect([...reasons][0]).toBe("area_code must be 1 to 5 digits");
  });

  test("imports JSON lines from standard input", async () => {
    const input =
      '{"phone_number":"+13125550000","area_code":"312"}\n{"phone_number":"+13125550001","area_code":312}\n';
    const args = ["inventory", "import", "-", "--format", "jsonl"];
    const { stderr, ...result } = await runImport(args, { server: url, input }, runCli);
    expect(result).toMatchObject({ exitCode: 1, tally: { created: 1, refused: 1 } });
    expect(stderr).toContain("line 2: area_code must be a string: put it in quotes\n");
  });

  test("is complete after Ctrl-C and a second import", async () => {
    // Several times as many rows as can be in flight.
    const count = 15_000;
    const file = await writeInput("interrupted.csv", [header, ...numbers("718", count)]);
    const args = ["inventory", "import", file];
    const cli = startCli([...args, "--output", "json", "--concurrency", "1"], { server: url });
    await pollUntil(async () => (await countFree("718")) !== undefined);
    cli.process.kill("SIGINT");
    const { exitCode, stdout, stderr } = await cli.result;
    const first = JSON.parse(stdout);
    expect(exitCode).toBe(130);
    // A request that takes longer than an interrupted import waits is unanswered, whether or not its numbers are stored.
    expect(first.created + first.unanswered).toBe(first.rows);
    expect(first.rows).toBeLessThan(count);
    expect(stderr).toMatch(
      /^error: interrupted\n {2}the import stopped after \d+ rows? w(?:as|ere) acknowledged: .*\n$/,
    );
    expect(await countFree("718")).toBeGreaterThanOrEqual(first.created);
    const second = await json(...args);
    const already_there = Number(second.already_there);
    expect(already_there).toBeGreaterThanOrEqual(first.created);
    expect(second).toStrictEqual(tallyOf({ created: count - already_there, already_there }));
  });
});

describe("visits", () => {
  const header = "event_id,property_token,source,medium,count,occurred_at";

  test("are recorded once each; invalid lines are refused", async () => {
    await json("accounts", "create", "visits");
    const now = new Date().toISOString();
    const right = Array.from({ length: 1200 }, (_, index) => `event-${index},www,google,cpc,2,${index % 2 ? now : ""}`);
    const wrong = [
      ...["old,www,google,cpc,,2020-01-01T00:00:00Z", "day,www,google,cpc,,2026-11-21", ",www,google,cpc,,"],
      "zero,www,,cpc,0,",
    ];
    const file = await writeInput("visits.csv", [header, ...wrong, ...right]);
    const first = await importFile("visits", "import", "visits", file);
    expect(first.tally).toStrictEqual(tallyOf({ created: 1200, refused: 4 }));
    expect(first.stderr.split("\n").slice(0, 4)).toStrictEqual([
      "line 2: occurred_at is before the visit window, so the visits are not counted",
      "line 3: occurred_at must be a time such as 2026-11-21T08:30:00Z",
      "line 4: event_id is required",
      "line 5: source is required; count must be between 1 and 1000000",
    ]);
    const second = await importFile("visits", "import", "visits", file);
    expect(second.tally).toStrictEqual(tallyOf({ already_there: 1200, refused: 4 }));
  });

  test("of an unknown account are refused once", async () => {
    const file = await writeInput("nobody.csv", [header, "event,www,google,cpc,,"]);
    const { exitCode, tally: counts, stderr } = await importFile("visits", "import", "nobody", file);
    expect({ exitCode, counts }).toStrictEqual({ exitCode: 1, counts: undefined });
    expect(stderr).toMatch(/^error: account "nobody" not found/);
  });
});
