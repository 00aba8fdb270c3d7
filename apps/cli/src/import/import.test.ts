import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { formatCsvLines } from "../output/csv-format.js";
import { cliPath, runCli } from "../testing/cli.js";
import { createFolder } from "../testing/create-folder.js";
import { manyPools } from "../testing/many-pools.js";
import { runCommand } from "../testing/run-command.js";
import { runImport, tallyOf } from "../testing/run-import.js";
import { startSharedServer } from "../testing/shared-server.js";

const folder = createFolder();
const { url, run, json } = await startSharedServer();

const poolColumns = [
  ...["original_number", "area_code", "description", "is_dni", "is_prompted", "is_recorded"],
  ...["pool_type", "property_token", "size", "utilization"],
];

async function createAccount(token: string, ...numbers: string[]): Promise<void> {
  await json("accounts", "create", token);
  for (const number of numbers) await json("numbers", "add", token, number);
}

async function writeInput(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

async function importFile(noun: string, account: string, file: string, ...options: string[]) {
  return await runImport([noun, "import", account, file, ...options], { server: url });
}

describe("numbers", () => {
  test("refuses invalid rows by line, and writes them to a file for correction", async () => {
    await createAccount("numbers", "+12223330001");
    const rows = ["+12223330001,there already,", "+12223330002,,www", '12223330003,"no, plus",', "+12223330004,,"];
    const file = await writeInput("numbers.csv", `phone_number,description,property_token\n${rows.join("\n")}\n`);
    const rejects = join(folder, "numbers-rejected.csv");
    const first = await importFile("numbers", "numbers", file, "--rejects", rejects);
    expect(first.tally).toStrictEqual(tallyOf({ created: 2, already_there: 1, refused: 1 }));
    expect(first.exitCode).toBe(1);
    expect(first.stderr).toMatch(/^line 4: phone_number .*\nerror: 1 of 4 rows was refused: correct it in /);
    const refused = await readFile(rejects, "utf8");
    expect(refused).toMatch(
      /^reason,phone_number,description,property_token\n.*phone_number.*,12223330003,"no, plus",\n$/,
    );

    await writeFile(rejects, refused.replace(",12223330003", ",+12223330003"));
    const second = await importFile("numbers", "numbers", rejects);
    expect(second).toStrictEqual({ exitCode: 0, stderr: "", tally: tallyOf({ created: 1 }) });
    const numbers = await json("numbers", "list", "numbers");
    expect(numbers.map((number) => number.phone_number).sort()).toStrictEqual([
      "+12223330001",
      "+12223330002",
      "+12223330003",
      "+12223330004",
    ]);
    expect(numbers.find((number) => number.phone_number === "+12223330003")?.description).toBe("no, plus");
  });

  test("refuses an unknown account, with rows from standard input", async () => {
    const input = "phone_number\n+12223330001\n";
    const args = ["numbers", "import", "nobody", "-"];
    const { exitCode, stdout, stderr } = await runCommand(args, { server: url, input });
    expect({ exitCode, stdout }).toStrictEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toMatch(/^error: account "nobody" not found/);
  });
});

describe("pools", () => {
  const common = { area_code: "415", is_dni: true, is_prompted: true, is_recorded: true, size: 10 };
  const manual = { original_number: "+12223330001", pool_type: "manual", ...common };
  const automanaged = { ...manual, pool_type: "automated", property_token: "www", utilization: 0.5 };

  test("importing a file twice creates no duplicates, even of equal rows", async () => {
    await createAccount("twice", "+12223330001", "+12223330002");
    const rows = [
      ...[manual, manual, automanaged, { ...manual, utilization: 3, property_token: "" }],
      ...[
        { ...manual, original_number: "+12223330002" },
        { ...manual, description: "" },
      ],
    ];
    const file = await writeInput("twice.jsonl", rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    const first = await importFile("pools", "twice", file);
    expect(first).toStrictEqual({ exitCode: 0, stderr: "", tally: tallyOf({ created: 6 }) });
    const second = await importFile("pools", "twice", file);
    expect(second).toStrictEqual({ exitCode: 0, stderr: "", tally: tallyOf({ already_there: 6 }) });
    expect(await json("pools", "list", "twice")).toHaveLength(6);
    const third = await importFile("pools", "twice", file, "--allow-duplicates");
    expect(third.tally).toStrictEqual(tallyOf({ created: 6 }));
  });

  test("warns once about created pools whose calls are not recorded", async () => {
    await createAccount("unrecorded", "+12223330001");
    const silent = { ...manual, is_prompted: false };
    const rows = [silent, manual, silent, { ...silent, is_recorded: false }, { ...silent, size: 0 }];
    const file = await writeInput("unrecorded.jsonl", rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    const first = await importFile("pools", "unrecorded", file);
    expect(first).toMatchObject({ exitCode: 1, tally: tallyOf({ created: 4, refused: 1 }) });
    expect(first.stderr.match(/^warning: .*$/gm)).toEqual([
      "warning: 2 pools: calls are not recorded: the prompt must announce the recording, but is_prompted of the pool " +
        "is false. Create a pool with is_prompted to record its calls",
    ]);
    const second = await importFile("pools", "unrecorded", file);
    expect(second.stderr).not.toContain("warning");
  });

  test("imports corrected rejects of CSV and JSONL", async () => {
    await createAccount("rejects", "+12223330001");
    const csvRow = (row: Record<string, unknown>) => formatCsvLines([poolColumns.map((column) => row[column])]);
    const rows = [
      manual,
      { ...manual, size: 0 },
      { ...manual, is_dni: "yes" },
      { ...manual, original_number: "+19998887777" },
    ];
    const inputs = {
      csv: formatCsvLines([poolColumns]) + rows.map(csvRow).join(""),
      jsonl: rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
    };
    for (const [format, text] of Object.entries(inputs)) {
      const rejects = join(folder, `refused.${format}`);
      const file = await writeInput(`pools.${format}`, text);
      const first = await importFile("pools", "rejects", file, "--rejects", rejects, "--allow-duplicates");
      expect(first.tally).toStrictEqual(tallyOf({ created: 1, refused: 3 }));
      const lines = first.stderr.split("\n").map((line) => line.slice(0, 24));
      const [sizeLine, flagLine, numberLine] = format === "csv" ? [3, 4, 5] : [2, 3, 4];
      expect(lines[0]).toBe(`line ${sizeLine}: size must be bet`);
      expect(lines[1]).toBe(`line ${flagLine}: is_dni must be t`);
      expect(lines[2]).toMatch(new RegExp(`^line ${numberLine}: `));

      const refused = await readFile(rejects, "utf8");
      const right = refused
        .replaceAll("+19998887777", "+12223330001")
        .replace(/\byes\b/, "true")
        .replace('"true"', "true");
      await writeFile(rejects, right.replace(/,0,\n/, ",9,\n").replace('"size":0', '"size":9'));
      const second = await importFile("pools", "rejects", rejects, "--allow-duplicates");
      expect(second).toStrictEqual({ exitCode: 0, stderr: "", tally: tallyOf({ created: 3 }) });
    }
  });

  test("stops at a disabled account", async () => {
    await createAccount("disabled", "+12223330001");
    await json("accounts", "disable", "disabled");
    const file = await writeInput("many.csv", manyPools("+12223330001", 3000));
    const { exitCode, stderr, tally: counts } = await importFile("pools", "disabled", file, "--concurrency", "4");
    expect(exitCode).toBe(1);
    expect(counts).toMatchObject({ created: 0, refused: counts.rows });
    expect(counts.rows).toBeLessThan(3000);
    expect(stderr).toMatch(/\nerror: .*disabled.*\n {2}the import stopped after \d+ rows? w(?:as|ere) acknowledged: /);
  });

  test.each([
    [
      "an unknown column",
      "size,utilisation\n1,2\n",
      'unknown column "utilisation": the columns are original_number, area_code',
    ],
    ["no UTF-8", Buffer.from("description\n\xe9\n", "latin1"), "the file is not UTF-8 text"],
  ])("a file with %s is wrong usage", async (_, content, text) => {
    await createAccount(`wrong-${text.length}`);
    const file = join(folder, "wrong.csv");
    await writeFile(file, content);
    const { exitCode, stderr } = await importFile("pools", `wrong-${text.length}`, file);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(text);
  });

  test("reports all errors of a row, even if a value is unreadable", async () => {
    await createAccount("faults", "+12223334444");
    const header = "original_number,area_code,is_dni,is_prompted,is_recorded,pool_type,size";
    const file = await writeInput("faults.csv", `${header}\n+12223334444,x,true,false,maybe,manual,many\n`);
    const { exitCode, stderr } = await importFile("pools", "faults", file);
    expect(exitCode).toBe(1);
    expect(stderr.split("\n")[0]).toBe(
      "line 2: is_recorded must be true or false; size must be an integer; area_code must be 1 to 5 digits",
    );
  });

  test("reports all errors of a row of calls, even if a value is unreadable", async () => {
    const header = "call_id,tracking_number,caller_number,started_at,outcome";
    const file = await writeInput(
      "call-faults.csv",
      `${header}\na b,1,+12223334444,yesterday,missed\n,2,x,2026-01-01T00:00:00Z,\n`,
    );
    const { exitCode, stderr } = await run("calls", "import", file);
    expect(exitCode).toBe(1);
    const [first, second] = stderr.split("\n");
    expect(first).toMatch(
      /^line 2: started_at must be a time such as .*; call_id must not contain .*; tracking_number must be /,
    );
    expect(second).toMatch(/^line 3: caller_number must be .*; call_id is required; tracking_number must be /);
  });
});

describe("rejects never overwrite", () => {
  const text = "phone_number\n12223334444\n";

  beforeAll(() => createAccount("shell"));

  /** Runs a shell command line in which `calltrack` stands for the program. Returns the exit code, stderr and the texts of the files. */
  async function runInShell(commandLine: string) {
    const own = await mkdtemp(join(folder, "shell-"));
    await writeFile(join(own, "rows.csv"), text);
    await writeFile(
      join(own, "map.yaml"),
      "call_id: id\ncaller_number: a\ntracking_number: b\nstarted_at: c\noutcome: d\n",
    );
    await writeFile(join(own, "log.csv"), "id,a,b,c,d\n");
    const calltrack = `"${process.execPath}" "${cliPath}"`;
    const program = ["sh", "-c", `cd "${own}" && ${commandLine.replace("calltrack", calltrack)}`] as const;
    const { exitCode, stderr } = await runCli([], { server: url, program });
    return {
      exitCode,
      stderr,
      files: await Promise.all(["rows.csv", "map.yaml"].map((name) => readFile(join(own, name), "utf8"))),
    };
  }

  test.each([
    ["the imported file", "calltrack numbers import shell rows.csv --rejects ./rows.csv"],
    ["the imported file", "ln rows.csv hard.csv; calltrack numbers import shell rows.csv --rejects hard.csv"],
    ["the imported file", "ln -s rows.csv soft.csv; calltrack numbers import shell rows.csv --rejects soft.csv"],
    ["the imported file", "calltrack numbers import shell - --rejects rows.csv < rows.csv"],
    ["the imported file", "calltrack numbers import shell /dev/stdin --format csv --rejects rows.csv < rows.csv"],
    ["the --mapping file", "calltrack calls import log.csv --mapping map.yaml --rejects map.yaml"],
    ["the file to which standard output goes", "calltrack numbers import shell rows.csv --rejects out.csv > out.csv"],
    [
      "the file to which standard error goes",
      "calltrack numbers import shell rows.csv --rejects out.csv 2> out.csv; code=$?; cat out.csv >&2; exit $code",
    ],
  ])("%s: %s", async (name, commandLine) => {
    const { exitCode, stderr, files } = await runInShell(commandLine);
    expect(stderr).toContain(`error: --rejects must not name ${name}: name another file\n`);
    expect(exitCode).toBe(2);
    expect(files[0]).toBe(text);
    expect(files[1]).toContain("call_id: id");
  });

  test("rejects may go to a device that is also read", async () => {
    const { exitCode } = await runInShell(
      "calltrack numbers import shell - --format jsonl --rejects /dev/null < /dev/null",
    );
    expect(exitCode).toBe(0);
  });
});
