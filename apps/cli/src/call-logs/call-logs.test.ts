import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { OutputRow } from "../output/output-row.js";
import { startCli } from "../testing/cli.js";
import { createFolder } from "../testing/create-folder.js";
import { pollUntil } from "../testing/poll-until.js";
import { runCommand } from "../testing/run-command.js";
import { runImport, tallyOf } from "../testing/run-import.js";
import { addPool, createAccount } from "../testing/sample-pool.js";
import { startSharedServer } from "../testing/shared-server.js";

const FIXTURES = join(import.meta.dirname, "testing");

/** The day of the calls in the fixtures. Tests move them to tomorrow, because a call must start after its number has a call tracker. */
const FIXTURE_DAY = "2026-11-21";
const TOMORROW = new Date(Date.now() + 86_400_000);
const DAY = TOMORROW.toISOString().slice(0, 10);

const AMERICAN = "+12185550001";
const GERMAN = "+493055501234";

const folder = createFolder();
const server = await startSharedServer({ settings: { CLOCK: "virtual" } });
const { json } = server;
const numbers = `phone_number,area_code\n${AMERICAN},218\n${GERMAN},30\n`;
await runCommand(["inventory", "import", "-"], { server: server.url, input: numbers });
await createAccount(server, "acme");
for (const areaCode of ["218", "30"]) {
  const pool = await addPool(server, "acme", "--area-code", areaCode);
  await json("clock", "advance", "1h");
  await pollUntil(async () => (await json("trackers", "list", "acme", pool)).length === 1);
}
await json("clock", "advance", "3d");

/** Replaces the day of the fixtures with tomorrow in all dates and Unix times of a text. */
function onTestDay(text: string): string {
  const [year, month, day] = DAY.split("-") as [string, string, string];
  const [, , monthName] = TOMORROW.toUTCString().split(" ");
  const spellings = {
    [FIXTURE_DAY]: DAY,
    "2026/11/21": `${year}/${month}/${day}`,
    "11/21/2026": `${month}/${day}/${year}`,
    "21.11.2026": `${day}.${month}.${year}`,
    "21 Nov 2026": `${day} ${monthName} ${year}`,
    "21.11.26": `${day}.${month}.${year.slice(2)}`,
  };
  const moved = Object.entries(spellings).reduce((all, [from, to]) => all.replaceAll(from, to), text);
  const seconds = (Date.parse(DAY) - Date.parse(FIXTURE_DAY)) / 1000;
  return moved.replaceAll(/(?<=,)1795\d{6}(?=,|\n)/g, (time) => String(Number(time) + seconds));
}

async function importText(name: string, text: string, ...options: string[]) {
  const file = join(folder, name);
  await writeFile(file, onTestDay(text));
  return await runImport(["calls", "import", file, ...options], { server: server.url });
}

async function importFixture(name: string, ...options: string[]) {
  return await importText(name, await readFile(join(FIXTURES, name), "utf8"), ...options);
}

function tally(counts: Record<string, number>): Record<string, number> {
  return tallyOf({ completed: 0, different: 0, joined: 0, skipped: 0, ...counts });
}

/** Lists the recorded calls with matching ids: id, caller, times and outcome. `#` stands for the digits of a caller's hash. */
async function listCalls(ids: RegExp): Promise<string[]> {
  const calls = (await json("calls", "list", "acme", "--limit", "100")) as unknown as OutputRow[];
  return calls
    .filter(({ call_id: id }) => ids.test(String(id)))
    .map(callText)
    .sort();
}

function callText({ call_id, caller_number, started_at, answered_at, ended_at, outcome }: OutputRow): string {
  const times = [started_at, answered_at, ended_at].map((time) => String(time ?? "-").slice(11, 19) || "-");
  return [String(call_id).replace(/\/[\da-f]{4}$/, "/#"), caller_number ?? "withheld", ...times, outcome].join(" ");
}

const GERMANY = ["--country", "49", "--time-zone", "Africa/Algiers"];
const AMERICA = ["--country", "1", "--time-zone", "America/Costa_Rica"];

describe("the log of", () => {
  test.each([
    {
      fixture: "asterisk.csv",
      options: ["--format", "asterisk", ...GERMANY],
      counts: { created: 4, joined: 3, skipped: 3 },
      ids: /^1795.*\.(?:1|5|11|12)$/,
      calls: [
        "1795249800.1 +49301234567 08:30:00 08:30:08 08:32:08 answered",
        "1795250100.5 withheld 08:35:00 - 08:35:20 abandoned",
        "1795250160.11 +4989777777 08:36:00 - 08:36:12 missed",
        "1795250400.12 +49301234567 08:40:00 - 08:40:50 voicemail",
      ],
      skipped: [
        'the dialed number "102" is not a full number',
        "the caller is an extension",
        "the dialed number +493055509999 is not a tracking number",
      ],
    },
    {
      fixture: "freepbx.csv",
      options: ["--format", "freepbx", ...GERMANY],
      counts: { created: 2, joined: 1, skipped: 1 },
      ids: /^1795.*\.[24]1$/,
      calls: [
        "1795249800.21 +49301234567 08:30:00 08:30:15 08:31:15 answered",
        "1795249920.41 withheld 08:32:00 - 08:32:08 busy",
      ],
      skipped: ["no dialed number"],
    },
    {
      fixture: "freeswitch.csv",
      options: ["--format", "freeswitch", ...GERMANY],
      counts: { created: 3, joined: 2, skipped: 1 },
      ids: /^a0000000/,
      calls: [
        "a0000000-0000-4000-8000-000000000001 +49301234567 08:29:59 08:30:08 08:32:09 answered",
        "a0000000-0000-4000-8000-000000000002 +49301234567 08:40:00 - 08:40:31 missed",
        "a0000000-0000-4000-8000-000000000003 withheld 08:45:00 - 08:45:02 busy",
      ],
      skipped: ['the dialed number "102" is not a full number'],
    },
    {
      fixture: "cucm.csv",
      options: ["--format", "cucm", ...GERMANY],
      counts: { created: 3, joined: 1, skipped: 4 },
      ids: /^2-77/,
      calls: [
        "2-77001 +49301234567 08:30:00 08:30:15 08:31:15 answered",
        "2-77002 withheld 08:35:00 - 08:35:20 missed",
        "2-77003 +49301234568 08:40:00 08:40:10 08:41:40 answered",
      ],
      skipped: [
        "skipped 2 rows: line of column types",
        "skipped 1 row: line of column names",
        "the caller is an extension",
      ],
    },
    {
      fixture: "fritzbox.csv",
      options: ["--format", "fritzbox", "--mapping", join(FIXTURES, "fritzbox.yaml"), ...GERMANY],
      counts: { created: 4, skipped: 1 },
      ids: /T08:/,
      calls: [
        `${DAY}T08:30:00.000Z/${GERMAN}/# +49301234570 08:30:00 - 09:35:00 voicemail`,
        `${DAY}T08:35:00.000Z/${GERMAN}/# +49301234569 08:35:00 - 08:35:00 busy`,
        `${DAY}T08:40:00.000Z/${GERMAN} withheld 08:40:00 - 08:40:00 missed`,
        `${DAY}T08:50:00.000Z/${GERMAN}/# +49301234567 08:50:00 08:50:00 08:55:00 answered`,
      ],
      skipped: ["skipped 1 row: outbound call"],
    },
    {
      fixture: "twilio.csv",
      options: ["--format", "twilio"],
      counts: { created: 4, joined: 4, skipped: 2 },
      ids: /^CA0000000000000000000000000000000/,
      calls: [
        "CA00000000000000000000000000000001 +12125550123 08:30:00 - 08:30:24 missed",
        "CA00000000000000000000000000000003 withheld 08:35:00 - 08:35:06 busy",
        "CA00000000000000000000000000000005 +12125550123 08:40:00 08:40:10 08:42:11 answered",
        "CA0000000000000000000000000000000a +12125550123 08:50:00 - - in_progress",
      ],
      skipped: ["skipped 2 rows: outbound call"],
    },
    {
      fixture: "twilio.jsonl",
      options: ["--format", "twilio"],
      counts: { created: 1, joined: 1 },
      ids: /^CA0000000000000000000000000000001/,
      calls: ["CA00000000000000000000000000000011 +12125550124 09:30:00 09:30:10 09:31:10 answered"],
      skipped: [],
    },
    {
      fixture: "3cx.csv",
      options: ["--format", "3cx", ...GERMANY],
      counts: { created: 2, joined: 1, skipped: 2 },
      ids: /^0000019a/,
      calls: [
        "0000019a-0001 +49301234567 08:30:00 08:30:20 08:32:20 answered",
        "0000019a-0002 +49897654321 08:40:00 - 08:40:30 missed",
      ],
      skipped: ["skipped 1 row: outbound call", "skipped 1 row: internal call"],
    },
    {
      fixture: "3cx-cdr.csv",
      options: ["--format", "3cx", "--country", "49", "--time-zone", "UTC"],
      counts: { created: 2, skipped: 1 },
      ids: /^00000149/,
      calls: [
        "00000149A6F5C7B1_5 +49301234567 09:50:00 09:50:08 09:50:46 answered",
        "00000149A6F5C7B1_6 +49301234567 09:55:00 - 09:55:20 missed",
      ],
      skipped: ["skipped 1 row: outbound or internal call"],
    },
    {
      fixture: "ringcentral.csv",
      options: ["--format", "ringcentral", ...AMERICA],
      counts: { created: 2, joined: 1, skipped: 1 },
      ids: /^90000000/,
      calls: [
        "900000001 +12125550123 09:30:00 09:30:28 09:32:28 answered",
        "900000002 withheld 09:40:00 - 09:40:40 voicemail",
      ],
      skipped: ["skipped 1 row: outbound call"],
    },
    {
      fixture: "ringcentral-log.csv",
      options: ["--format", "ringcentral", ...AMERICA],
      counts: { created: 2, skipped: 2 },
      ids: /T10:.*\/\+/,
      calls: [
        `${DAY}T10:05:00.000Z/+12185550001/# +12125550125 10:05:00 10:05:00 10:07:10 answered`,
        `${DAY}T10:05:00.000Z/+12185550001/# +12125550126 10:05:00 - 10:05:31 missed`,
      ],
      skipped: ["skipped 1 row: outbound call", "skipped 1 row: not a voice call"],
    },
    {
      fixture: "own.csv",
      options: ["--mapping", join(FIXTURES, "own.yaml"), ...GERMANY],
      counts: { created: 2 },
      ids: /^K-/,
      calls: ["K-1 +49301234567 08:30:00 08:30:00 08:32:00 answered", "K-2 withheld 08:35:00 - 08:35:00 busy"],
      skipped: [],
    },
  ])("$fixture becomes calls, and every row is counted", async ({ fixture, options, counts, ids, calls, skipped }) => {
    const { exitCode, stderr, tally: found } = await importFixture(fixture, ...options);
    expect({ exitCode, found }).toStrictEqual({ exitCode: 0, found: tally(counts) });
    for (const reason of skipped) expect(stderr).toContain(reason);
    expect(stderr).not.toContain("note:");
    expect(await listCalls(ids)).toStrictEqual(calls);

    const again = await importFixture(fixture, ...options);
    const { created, ...rest } = { joined: 0, skipped: 0, ...counts };
    expect(again).toMatchObject({ exitCode: 0, tally: tally({ ...rest, already_there: created }) });
  });
});

describe("if a dialed leg comes before the caller's leg and starts in the same second", () => {
  const callers = ["0301234567", "03055501234"];
  const freeswitch = ([from, to]: readonly string[], answer: string, end: string, cause: string, ids: string) =>
    `"","${from}","${to}","public","${FIXTURE_DAY} 09:45:00","${answer}","${FIXTURE_DAY} 09:45:${end}","${end}","${answer && end}","${cause}",${ids},"","",""\n`;
  const asterisk = (to: string, end: string, answered: string, id: string, linked: string) =>
    `"","0301234567","${to}","in","","PJSIP/a","PJSIP/b","Dial","","${FIXTURE_DAY} 09:46:00","${FIXTURE_DAY} 09:46:09","${FIXTURE_DAY} 09:46:${end}",${end},${answered},"ANSWERED","","${id}","","","${linked}",1\n`;

  test.each([
    [
      "freeswitch",
      "that ends earlier",
      freeswitch(["0301234567", "101"], "", "30", "NO_ANSWER", '"same-b1",""') +
        freeswitch(callers, `${FIXTURE_DAY} 09:45:00`, "31", "NORMAL_CLEARING", '"same-a1","same-b1"'),
      "same-a1 +49301234567 08:45:00 - 08:45:31 missed",
    ],
    [
      "freeswitch",
      "that ends in the same second",
      freeswitch(["0301234567", "101"], "", "30", "NO_ANSWER", '"same-b2",""') +
        freeswitch(callers, `${FIXTURE_DAY} 09:45:00`, "30", "NORMAL_CLEARING", '"same-a2","same-b2"'),
      "same-a2 +49301234567 08:45:00 - 08:45:30 missed",
    ],
    [
      "freeswitch",
      "and both legs name each other",
      freeswitch(["0301234567", "101"], "", "30", "NO_ANSWER", '"same-b3","same-a3"') +
        freeswitch(callers, `${FIXTURE_DAY} 09:45:00`, "31", "NORMAL_CLEARING", '"same-a3","same-b3"'),
      "same-a3 +49301234567 08:45:00 - 08:45:31 missed",
    ],
    [
      "asterisk",
      "that ends earlier",
      asterisk("01715550000", "10", "1", "same-4.3", "same-4.1") +
        asterisk("03055501234", "50", "41", "same-4.1", "same-4.1"),
      "same-4.1 +49301234567 08:46:00 08:46:09 08:46:50 answered",
    ],
    [
      "asterisk",
      "that ends in the same second",
      asterisk("01715550000", "50", "41", "same-5.3", "same-5.1") +
        asterisk("03055501234", "50", "41", "same-5.1", "same-5.1"),
      "same-5.1 +49301234567 08:46:00 08:46:09 08:46:50 answered",
    ],
  ])("%s: %s", async (format, name, rows, call) => {
    const found = await importText(`${format} ${name}.csv`, rows, "--format", format, ...GERMANY);
    expect(found).toMatchObject({ exitCode: 0, tally: tally({ created: 1, joined: 1 }) });
    const [id = ""] = call.split(" ");
    expect(await listCalls(new RegExp(`^${id}$`))).toStrictEqual([call]);
  });
});

describe("rows of different calls stay apart", () => {
  const columns = "uuid,bleg_uuid,caller_id_number,destination_number,start_stamp,end_stamp,billsec,hangup_cause";
  const row = (id: string, linked: string, caller: string, minute: number, number = AMERICAN) =>
    `${id},${linked},${caller},${number},${FIXTURE_DAY} 10:${minute}:00,${FIXTURE_DAY} 10:${minute}:30,20,NORMAL_CLEARING`;
  const options = ["--format", "freeswitch", "--country", "1", "--time-zone", "UTC"];

  test.each(["NULL", "\\N", "-", "(null)", "<nil>", "None", "undefined", "0", "00000000-0000-0000-0000-000000000000"])(
    "if %s stands for an absent id",
    async (word) => {
      const name = `none ${word.length}${word.replaceAll(/\W/g, "")}`;
      const rows = [11, 12, 13].map((minute) =>
        row(`${name.replaceAll(" ", "-")}-${minute}`, word, `+1212555${minute}00`, minute),
      );
      const linked = await importText(`${name}.csv`, [columns, ...rows, ""].join("\n"), ...options);
      expect(linked).toMatchObject({ exitCode: 0, tally: tally({ created: 3 }) });
      const own = [
        HEADER,
        ...["2026-11-21T08:00:00Z", "2026-11-21T09:00:00Z"].map(
          (start) => `${word},${AMERICAN},+12125550123,${start},,,`,
        ),
        "",
      ];
      const { tally: refused, stderr } = await importText(`own ${name}.csv`, own.join("\n"));
      expect(refused).toStrictEqual(tally({ refused: 2 }));
      expect(stderr).toContain(
        `line 2: call_id must be an id, but ${JSON.stringify(word)} stands for an absent id: correct it\n`,
      );
    },
  );

  test("if their ids are long numbers in JSON", async () => {
    const ids = ["9007199254740992", "9007199254740993", "1795249900.1", "1795249900.10"];
    const lines = ids.map((id, index) =>
      JSON.stringify({
        ...{ sessionId: 0, startTime: `${FIXTURE_DAY}T11:0${index}:00Z`, duration: 9, result: "Answered" },
        ...{ from: { phoneNumber: "+12125550123" }, to: { phoneNumber: AMERICAN } },
      }).replace('"sessionId":0', `"sessionId":${id}`),
    );
    const found = await importText("numbers.jsonl", `${lines.join("\n")}\n`, "--format", "ringcentral");
    expect(found).toMatchObject({ exitCode: 0, tally: tally({ created: 4 }) });
    expect((await listCalls(/^(?:9007199254740|1795249900\.10?$)/)).map((text) => text.split(" ")[0])).toEqual(
      ids.toSorted(),
    );
  });

  test.each([
    ["the same number", AMERICAN, "+12125550151", 1],
    ["another number", GERMAN, "+12125550152", 1],
    ["another number and an extension as caller", GERMAN, "101", 1],
    ["the same number, at the same time", AMERICAN, "+12125550153", 0],
    ["another number, transferred", GERMAN, AMERICAN, 0],
    ["the same number, by the same caller", AMERICAN, "+12125550150", 0],
  ])("if a later call has the same id: to %s", async (name, number, caller, refused) => {
    const minute = name.includes("same time") ? 20 : 45;
    const id = `reused-${name.replaceAll(/\W/g, "")}`;
    const rows = [row(id, "", "+12125550150", 20), row(id, "", caller, minute, number)];
    const { tally: found, stderr } = await importText(`${id}.csv`, [columns, ...rows, ""].join("\n"), ...options);
    expect(found).toStrictEqual(tally(refused ? { refused: 2 } : { created: 1, joined: 1 }));
    if (refused) expect(stderr).toContain("lines 2 and 3 have the same id, but different callers and times");
  });
});

const HEADER = "call_id,tracking_number,caller_number,started_at,answered_at,ended_at,outcome";

/** Returns a file with Calltrack's own columns. Times are minutes and seconds after 08:00. */
function ownFile(
  rows: readonly (readonly [id: string, start: string, answer: string, end: string, outcome: string])[],
) {
  const at = (clock: string) => clock && `${FIXTURE_DAY}T08:${clock}Z`;
  const lines = rows.map(([id, start, answer, end, outcome]) =>
    [id, AMERICAN, "+12125550123", at(start), at(answer), at(end), outcome].join(","),
  );
  return `${[HEADER, ...lines].join("\n")}\n`;
}

describe("rows of one call", () => {
  test("of a ring group become one answered call, in any order", async () => {
    const file = ownFile([
      ["ring-1", "30:01", "", "30:20", "missed"],
      ["ring-2", "31:00", "", "31:20", "missed"],
      ["ring-1", "30:00", "", "30:02", "busy"],
      ["ring-1", "30:02", "30:09", "32:00", "answered"],
    ]);
    const found = await importText("ring.csv", file);
    expect(found).toStrictEqual({ exitCode: 0, stderr: "", tally: tally({ created: 2, joined: 2 }) });
    expect(await listCalls(/^ring-/)).toStrictEqual([
      "ring-1 +12125550123 08:30:00 08:30:09 08:32:00 answered",
      "ring-2 +12125550123 08:31:00 - 08:31:20 missed",
    ]);
  });

  test("complete a call that was imported in progress, and change no other call", async () => {
    const running = ownFile([
      ["run-1", "30:00", "", "", ""],
      ["run-2", "31:00", "", "31:30", "busy"],
    ]);
    await importText("run.csv", running);
    const ended = ownFile([
      ["run-1", "30:00", "30:05", "33:00", "answered"],
      ["run-2", "31:00", "31:10", "31:30", "answered"],
      ["run-3", "32:00", "", "32:30", "missed"],
    ]);
    const second = await importText("run.csv", ended);
    expect(second).toMatchObject({ exitCode: 1, tally: tally({ created: 1, completed: 1, different: 1 }) });
    expect(second.stderr).toContain(
      `line 3: call "run-2" is recorded as busy, ended ${DAY}T08:31:30.000Z, but the file says answered`,
    );
    expect(await listCalls(/^run-/)).toStrictEqual([
      "run-1 +12125550123 08:30:00 08:30:05 08:33:00 answered",
      "run-2 +12125550123 08:31:00 - 08:31:30 busy",
      "run-3 +12125550123 08:32:00 - 08:32:30 missed",
    ]);
    const third = await importText("run.csv", ended);
    expect(third.tally).toStrictEqual(tally({ already_there: 2, different: 1 }));
  });

  test("are refused together if one cannot be imported, and written to the rejects file", async () => {
    const rejects = join(folder, "rejected.csv");
    const file = `${ownFile([
      ["bad-1", "30:00", "", "30:20", "missed"],
      ["good-1", "31:00", "", "31:20", "missed"],
      ["bad-1", "30:00", "30:05", "30:40", "picked up"],
      ["bad-2", "32:00", "", "32:10", "missed"],
    ])}bad-2,${AMERICAN},+12125550199,${FIXTURE_DAY}T08:32:00Z,,,\n9.00012E+11,${AMERICAN},,${FIXTURE_DAY}T08:32:00Z,,,\n`;
    const { stderr, tally: found } = await importText("bad.csv", file, "--rejects", rejects);
    expect(found).toStrictEqual(tally({ created: 1, refused: 5 }));
    const lines = stderr.split("\n");
    expect(lines[0]).toMatch(/^line 4: outcome must be in_progress or answered or /);
    expect(lines[1]).toBe("line 2: belongs to the same call as line 4, which was refused");
    expect(lines).toContain(
      "line 6: lines 5 and 6 have the same call_id but different callers: correct the call_id or the caller",
    );
    expect(stderr).toContain("line 7: call_id lost digits in a spreadsheet: format the column as text");
    expect((await readFile(rejects, "utf8")).match(/,bad-\d/g)).toHaveLength(4);
  });
});

test("a second import completes an interrupted one", async () => {
  const count = 4000;
  const ids = Array.from({ length: count }, (_, index) => `many-${index}`);
  const rows = ids.flatMap((id) => [
    [id, "30:00", "", "30:20", "missed"] as const,
    [id, "30:00", "30:05", "30:40", "answered"] as const,
  ]);
  const file = join(folder, "many.csv");
  await writeFile(file, onTestDay(ownFile(rows)));
  const args = ["calls", "import", file, "--output", "json"];
  // Counts calls with a JSON request. On a busy machine, a CLI command would take so long that the import would end before the count.
  const countCalls = async () => {
    const period = `from=${DAY}T08:30:00Z&to=${DAY}T08:30:00.001Z`;
    const response = await fetch(`${server.url}/dni_manager/accounts/acme/calls:report?${period}`);
    const [row] = (await response.json()) as readonly { readonly calls: number }[];
    return row?.calls ?? 0;
  };
  const before = await countCalls();
  const cli = startCli([...args, "--concurrency", "1"], { server: server.url });
  await pollUntil(async () => (await countCalls()) > before);
  cli.process.kill("SIGINT");
  const { exitCode, stdout } = await cli.result;
  const first = JSON.parse(stdout);
  expect(exitCode).toBe(130);
  // A request that takes longer than an interrupted import waits is unanswered, whether or not its calls are recorded.
  expect(first).toMatchObject({ created: first.joined, rows: 2 * first.created + first.unanswered });
  expect(first.created).toBeLessThan(count);
  expect(await countCalls()).toBeGreaterThanOrEqual(before + first.created);
  const second = JSON.parse((await runCommand(args, { server: server.url })).stdout);
  const { already_there } = second;
  expect(already_there).toBeGreaterThanOrEqual(first.created);
  expect(second).toStrictEqual(tally({ created: count - already_there, already_there, joined: count }));
  expect(await countCalls()).toBe(before + count);
});

describe("a call log", () => {
  const log = (rows: string) =>
    `Call Sid,Parent Call Sid,From,To,Status,Start Time,End Time,Duration,Direction\n${rows}\n`;
  const usual = { id: "CAx", from: "+12125550123", to: AMERICAN, status: "busy", start: `${FIXTURE_DAY}T08:30:00Z` };
  const row = (changes: Partial<typeof usual>) => {
    const { id, from, to, status, start } = { ...usual, ...changes };
    return `${id},,${from},${to},${status},${start},,,inbound`;
  };

  test.each([
    [
      "an unknown word",
      log(row({ status: "gone" })),
      /^line 2: outcome "gone" is unknown \(known outcomes: .*completed.*\): map it to one of Calltrack's outcomes with --mapping/,
    ],
    ["a word that JavaScript knows", log(row({ status: "constructor" })), /^line 2: outcome "constructor" is unknown/],
    [
      "an id that a spreadsheet rounded",
      log(row({ id: "9.00012E+11" })),
      /^line 2: call_id lost digits in a spreadsheet: format the column as text, and enter or export the value again/,
    ],
    [
      "a column twice",
      "Call Sid,From,To,Status,Start Time,start_time\n",
      /: columns "Start Time" and "start_time" have the same name, apart from case and punctuation: delete or rename one of them/,
    ],
    [
      "a national number",
      log(row({ to: "2185550001" })),
      /^line 2: tracking_number "2185550001" is a national number: pass its country calling code with --country/,
    ],
    [
      "a national caller",
      log(row({ from: "2125550123" })),
      /^line 2: caller_number is a national number: pass its country calling code with --country/,
    ],
    [
      "a masked number",
      log(row({ to: "218555****" })),
      /^line 2: tracking_number "218555\*\*\*\*" lacks digits: export it in full/,
    ],
    ["no start", log(row({ start: "" })), /^line 2: started_at is missing/],
    ["an odd time", log(row({ start: "noon" })), /^line 2: started_at must be a time/],
    [
      "no known column",
      "a,b\n1,2\n",
      /: the first line \(2 columns\) has no column "Start Time" or "Date Created": it must name the columns; if your columns have other names, map them with --mapping/,
    ],
    [
      "no column of the caller",
      "Call Sid,To,Status,Start Time\n",
      /: no column "From" for caller_number: export this column, or name another one with --mapping/,
    ],
    [
      "no column of the outcome",
      "Call Sid,From,To,Start Time\n",
      /: no column "Status" or "Duration" shows the outcome of calls/,
    ],
  ])("with %s is refused, with a remedy", async (_, text, problem) => {
    const { exitCode, stderr } = await importText("wrong.csv", text, "--format", "twilio");
    expect(exitCode).not.toBe(0);
    expect(stderr.replace(/^error: .*?wrong\.csv/, "")).toMatch(problem);
  });

  test("gets further words from a mapping file", async () => {
    const mapping = join(folder, "words.yaml");
    await writeFile(mapping, "outcomes: { gone: failed }\n");
    const text = log(row({ id: "CAgone", status: "gone" }));
    const found = await importText("words.csv", text, "--format", "twilio", "--mapping", mapping);
    expect(found.tally).toStrictEqual(tally({ created: 1 }));
    expect(await listCalls(/^CAgone/)).toStrictEqual(["CAgone +12125550123 08:30:00 - 08:30:00 failed"]);
  });

  test.each([
    {
      name: "Twilio's console",
      options: ["--format", "twilio"],
      text: [
        "Call Sid,From,To,Status,Start Time,End Time,Duration,Direction",
        `v-1,+12125550123,${AMERICAN},No Answer,08:30:00 UTC ${FIXTURE_DAY},08:30:00 UTC ${FIXTURE_DAY},0 sec,Incoming`,
      ],
      ids: /^v-1/,
      call: "v-1 +12125550123 08:30:00 - 08:30:00 missed",
    },
    {
      name: "FreeSWITCH with times since 1970, and a masked caller",
      options: ["--format", "freeswitch", "--country", "49"],
      text: [
        "uuid,caller_id_number,destination_number,start_stamp,start_epoch,answer_epoch,end_epoch,billsec,hangup_cause",
        `v-5,+49 30 1234XXX,03055501234,${FIXTURE_DAY} 23:30:00,1795249800,1795249810,1795249870,60,NORMAL_CLEARING`,
      ],
      ids: /^v-5/,
      call: "v-5 withheld 08:30:00 08:30:10 08:31:10 answered",
    },
    {
      name: "FusionPBX, whose database writes offsets of hours only",
      options: ["--format", "freeswitch", "--country", "49"],
      text: [
        "xml_cdr_uuid,direction,caller_id_number,caller_destination,start_stamp,answer_stamp,end_stamp,billsec,hangup_cause",
        `v-6,inbound,0,03055501234,${FIXTURE_DAY} 08:32:00+00,1970-01-01 00:00:00+00,${FIXTURE_DAY} 08:32:20+00,0,ORIGINATOR_CANCEL`,
      ],
      ids: /^v-6/,
      call: "v-6 withheld 08:32:00 - 08:32:20 abandoned",
    },
    {
      name: "a web page whose cells are formulas of texts",
      options: ["--format", "freeswitch", ...GERMANY],
      text: [
        "uuid,caller_id_number,destination_number,start_stamp,end_stamp,billsec,Hangup Cause",
        `v-3,="0301234567",'03055501234,"=""${FIXTURE_DAY} 09:31:00""",="${FIXTURE_DAY} 09:31:20",0,'NO_ANSWER`,
      ],
      ids: /^v-3/,
      call: "v-3 +49301234567 08:31:00 - 08:31:20 missed",
    },
    {
      name: "a macOS program, with decomposed letters",
      options: ["--mapping", join(FIXTURES, "own.yaml"), ...GERMANY],
      text: [
        "Anruf,Von,An,Datum,Uhrzeit,Ergebnis,Gespra\u0308ch",
        "v-4,0301234567,03055501234,21.11.2026,09:32:00,angenommen,0:02:00",
      ],
      ids: /^v-4/,
      call: "v-4 +49301234567 08:32:00 08:32:00 08:34:00 answered",
    },
    {
      name: "a database without a time of answer",
      options: ["--format", "freeswitch", ...GERMANY],
      text: [
        "uuid,caller_id_number,destination_number,start_stamp,answer_stamp,end_stamp,billsec,hangup_cause",
        `v-2,0301234567,03055501234,${FIXTURE_DAY} 09:30:00,0000-00-00 00:00:00,${FIXTURE_DAY} 09:30:20,0,NO_ANSWER`,
      ],
      ids: /^v-2/,
      call: "v-2 +49301234567 08:30:00 - 08:30:20 missed",
    },
    {
      name: "3CX before version 20",
      options: ["--format", "3cx", ...GERMANY],
      text: [
        "Call Time,Caller ID,Destination,Status,Ringing,Talking,Totals,Cost,Reason",
        "21.11.2026 09:33:00,0301234567,Verkauf (03055501234),answered,00:00:05,00:01:00,,,",
        "Totals,,,,00:00:05,00:01:00,,,",
      ],
      counts: { refused: 1 },
      ids: /08:33:00.000Z.\+49/,
      call: `${DAY}T08:33:00.000Z/${GERMAN}/# +49301234567 08:33:00 08:33:05 08:34:05 answered`,
    },
    {
      name: "RingCentral with a replied call",
      options: ["--format", "ringcentral", ...AMERICA],
      text: [
        "Direction,Type,From,To,Date,Time,Action Result,Duration",
        "Incoming,Voice,Private,(218) 555-0001 * 101,Sat 11/21/2026,2:36 AM,Reply,0:20",
      ],
      ids: /08:36:00.000Z.\+1/,
      call: `${DAY}T08:36:00.000Z/${AMERICAN} withheld 08:36:00 - 08:36:20 missed`,
    },
  ])("from $name is read", async ({ options, text, counts, ids, call }) => {
    const found = await importText("variant.csv", `${text.join("\n")}\n`, ...options);
    expect(found.tally, found.stderr).toStrictEqual(tally({ created: 1, ...counts }));
    expect(await listCalls(ids)).toStrictEqual([call]);
  });

  test("without ids results in the same calls from any part of it, in any order", async () => {
    const rows = ["(212) 555-0161", "(212) 555-0162", "(212) 555-0163", "Anonymous"].map(
      (caller, index) => `Incoming,Voice,${caller},(218) 555-0001,11/21/2026,2:51 AM,Missed,0:0${index}`,
    );
    const importRows = async (...indexes: number[]) => {
      const lines = ["Direction,Type,From,To,Date,Time,Action Result,Duration", ...indexes.map((index) => rows[index])];
      const { tally, stderr } = await importText("part.csv", lines.join("\n"), "--format", "ringcentral", ...AMERICA);
      return { tally, stderr };
    };
    const created = (counts: Record<string, number>) => ({ tally: tally(counts), stderr: "" });
    expect(await importRows(2)).toStrictEqual(created({ created: 1 }));
    expect(await importRows(1, 2)).toStrictEqual(created({ created: 1, already_there: 1 }));
    expect(await importRows(3, 0)).toStrictEqual(created({ created: 2 }));
    expect(await importRows(0, 1, 2, 3)).toStrictEqual(created({ already_there: 4 }));
    const calls = await listCalls(/T08:51:00.000Z/);
    expect(calls).toHaveLength(4);
    expect(calls.map((call) => call.split(" ")[0])).not.toContainEqual(expect.stringMatching(/01(?:61|62|63)/));
  });

  describe("with slashes in its dates", () => {
    const [year, month, day] = DAY.split("-");
    const [dayFirst, monthFirst] = [`${day}/${month}/${year}`, `${month}/${day}/${year}`];
    const rows = (...dates: string[]) =>
      log(dates.map((date, index) => row({ id: `CAdate${date}`, start: `${date} 08:4${index}` })).join("\n"));
    // The import reads the dates of calls from extensions, but does not send these calls to the service.
    const internal = (date: string) => row({ id: date, from: "101", start: `${date} 08:30` });

    test.each([
      ["day first", `${rows(dayFirst)}${internal("28/01/2020")}\n`],
      ["month first", `${rows(monthFirst)}${internal("01/28/2020")}\n`],
    ])("is read as %s if one of its dates shows that order", async (_, text) => {
      const { stderr, tally: found } = await importText("slash.csv", text, "--format", "twilio", "--time-zone", "UTC");
      expect(found, stderr).toStrictEqual(tally({ created: 1, skipped: 1 }));
    });

    test.each([
      ["no date shows the order", rows("01/02/2020"), [], /^line 2: .*unknown order: set date_order with --mapping\n/],
      [
        "dates contradict each other",
        rows("01/28/2020", "01/02/2020", "28/01/2020"),
        [],
        /^error: the log has both day-first and month-first dates: line 4 has 28\/01\/2020 08:42, but line 2 has 01\/28\/2020 08:40: correct the dates\n$/,
      ],
      [
        "a date contradicts date_order",
        rows("01/02/2020", "01/28/2020"),
        ["date_order: day-first"],
        /^error: date_order is day-first, but line 3 has 01\/28\/2020 08:41: correct the date, or set date_order with --mapping\n$/,
      ],
    ])("is refused if %s", async (_, text, mapping, problem) => {
      const file = join(folder, "order.yaml");
      await writeFile(file, mapping.join("") || "{}");
      const options = ["--format", "twilio", "--mapping", file, "--time-zone", "UTC"];
      const { tally: found, stderr } = await importText("slash.csv", text, ...options);
      expect(stderr).toMatch(problem);
      expect(found?.created ?? 0).toBe(0);
    });
  });

  test("without legs to the business is imported with a note", async () => {
    const text = log(row({ id: "CAlone", status: "completed" }));
    const { exitCode, stderr } = await importText("parents.csv", text, "--format", "twilio");
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(
      /^note: no row is a leg to the business, .*: include the legs to the business in the export\n$/,
    );
    expect(await listCalls(/^CAlone/)).toStrictEqual(["CAlone +12125550123 08:30:00 - 08:30:00 missed"]);
  });

  test("without a header gets one in its rejects file, which can be corrected and imported", async () => {
    const rejects = join(folder, "asterisk-rejected.csv");
    const fixture = await readFile(join(FIXTURES, "asterisk.csv"), "utf8");
    const text = fixture.replaceAll("17952", "999").replace("ANSWERED", "PICKED UP");
    const first = await importText("odd.csv", text, "--format", "asterisk", ...GERMANY, "--rejects", rejects);
    expect(first.tally).toMatchObject({ created: 4, refused: 1, skipped: 2 });
    const refused = await readFile(rejects, "utf8");
    expect(refused).toMatch(/^reason,accountcode,src,dst,.*,sequence\n/);
    const corrected = refused.replace("PICKED UP,", "ANSWERED,");
    const second = await importText("corrected.csv", corrected, "--format", "asterisk", ...GERMANY);
    expect(second.tally).toStrictEqual(tally({ skipped: 1 }));
  });

  test.each([
    ["csv", "caller,dialed,start,reason\n+12125550160,+12185550001,2026-11-21T08:30:00Z,gone\n"],
    ["jsonl", '{"caller":"+12125550161","dialed":"+12185550001","start":"2026-11-21T08:30:00Z","reason":"gone"}\n'],
  ])("with a column reason keeps this column in its rejects file (%s)", async (format, text) => {
    const [mapping, rejects] = [join(folder, "reason.yaml"), join(folder, `reason-rejected.${format}`)];
    const columns = "caller_number: caller\ntracking_number: dialed\nstarted_at: start\noutcome: Reason\n";
    await writeFile(mapping, `${columns}outcomes: { lost: missed }\n`);
    const first = await importText(`reason.${format}`, text, "--mapping", mapping, "--rejects", rejects);
    expect(first.tally).toStrictEqual(tally({ refused: 1 }));
    const refused = await readFile(rejects, "utf8");
    expect(refused).toContain("calltrack_reason");
    const corrected = refused.replace(/(?<=[,:]"?)gone(?="?[,\n])/, "lost");
    const second = await importText(`reason-corrected.${format}`, corrected, "--mapping", mapping);
    expect(second.tally).toStrictEqual(tally({ created: 1 }));
  });

  test.each([
    ["caller: From", /unknown key "caller": the keys are .*caller_number.*; caller_number is missing; tracking_number/],
    ["constructor: From", /: unknown key "constructor": the keys are /],
    ["outcomes: { gone: lost }", /outcomes must map each word to one of the outcomes in_progress, answered, missed/],
    ["duration_format: minutes", /duration_format must be h:mm or mm:ss/],
    [
      "tracking_numbers: { 5501234: 493055501234 }",
      /tracking_numbers must map each number in the log to the full number, both in quotes/,
    ],
    ["skip: [{ column: a }]", /skip must be a list of \{column: name, values: \[word, …\], reason: text\}/],
    ["- a", /must contain keys and values/],
    ["a: [", /is neither YAML nor JSON/],
  ])("with the mapping %s is refused", async (text, problem) => {
    const mapping = join(folder, "wrong.yaml");
    await writeFile(mapping, text);
    const { exitCode, stderr } = await importText("wrong.csv", "a\n", "--mapping", mapping);
    expect({ exitCode, stderr }).toStrictEqual({ exitCode: 2, stderr: expect.stringMatching(problem) });
  });
});
