import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createFolder } from "../../testing/create-folder.js";
import { runCommand } from "../../testing/run-command.js";
import { runImport, tallyOf } from "../../testing/run-import.js";
import { createAccount } from "../../testing/sample-pool.js";
import { startSharedServer } from "../../testing/shared-server.js";

/** The month of the calls. It is recent, because the service keeps calls for a limited time. */
const MONTH = new Date(Date.now() - 200 * 86_400_000).toISOString().slice(0, 7);

const folder = createFolder();
const server = await startSharedServer();

async function importHistory(name: string, account: string, text: string, ...options: string[]) {
  const file = join(folder, name);
  await writeFile(file, text.replaceAll("2026-05", MONTH));
  return await runImport(["calls", "import", file, "--history", account, ...options], { server: server.url });
}

async function writeMapping(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

async function listCalls(account: string): Promise<readonly Record<string, unknown>[]> {
  return await server.json("calls", "list", account);
}

test("records a file with Calltrack's own columns, and no call twice", async () => {
  await createAccount(server, "own");
  const text = [
    "call_id,tracking_number,caller_number,started_at,answered_at,ended_at,outcome,original_number,source,medium,property_token",
    "a1,+12185550142,+12125550123,2026-05-01T09:00:00Z,2026-05-01T09:00:05Z,2026-05-01T09:02:05Z,,+12185550100,google,cpc,shop",
    "a2,+12185550142,,2026-05-01T10:00:00Z,,2026-05-01T10:00:20Z,missed,+12185550100,radio,,",
    "a2,+12185550142,+12125550124,2026-05-01T10:00:00Z,,2026-05-01T10:00:25Z,missed,,,,",
    "a3,+12185550142,,2026-05-01T11:00:00Z,,,,,google,cpc,",
  ].join("\n");
  const first = await importHistory("own.csv", "own", text);
  expect(first.tally).toMatchObject(tallyOf({ rows: 4, created: 2, joined: 1, refused: 1 }));
  expect(first.stderr).toMatch(/line 5: original_number is required/);
  const again = await importHistory("own.csv", "own", text);
  expect(again.tally).toMatchObject(tallyOf({ rows: 4, already_there: 2, joined: 1, refused: 1 }));
  expect(await listCalls("own")).toMatchObject([
    {
      call_id: "a2",
      caller_number: "+12125550124",
      source: "radio",
      medium: "(not set)",
      original_number: "+12185550100",
    },
    { call_id: "a1", duration_seconds: 120, source: "google", medium: "cpc", property_token: "shop", pool_id: null },
  ]);
});

test("reads a provider's export, whose columns a mapping names", async () => {
  await createAccount(server, "export");
  const mapping = await writeMapping(
    "export.yaml",
    `
call_id: id
caller_number: customer_phone_number
tracking_number: tracking_phone_number
original_number: business_phone_number
started_at: start_time
duration: duration
outcome: answered
outcomes: { "true": answered, "false": missed }
voicemail: [{ column: voicemail, values: ["true"] }]
source: [utm_source, source]
medium: [utm_medium, medium]
recording_url: recording
skip: [{ column: direction, values: [outbound], reason: outbound call }]
`,
  );
  const text = [
    "id,direction,customer_phone_number,tracking_phone_number,business_phone_number,start_time,duration,answered,voicemail,source,medium,utm_source,utm_medium,recording",
    "CAL01,inbound,(212) 555-0123,(218) 555-0142,(218) 555-0100,2026-05-01 09:00:00 -0500,120,true,false,Google Ads,CPC,,,https://recordings.example/CAL01",
    "CAL02,inbound,(212) 555-0124,(218) 555-0143,(218) 555-0100,2026-05-02 09:00:00 -0500,31,false,false,Direct,,,,",
    "CAL03,outbound,(218) 555-0142,(212) 555-0123,(218) 555-0100,2026-05-02 10:00:00 -0500,31,true,false,,,,,",
    "CAL04,inbound,anonymous,(218) 555-0143,(218) 555-0100,2026-05-03 09:00:00 -0500,45,true,true,Facebook,Social,fb-spring,paid-social,",
  ].join("\n");
  const { tally } = await importHistory("export.csv", "export", text, "--mapping", mapping, "--country", "1");
  expect(tally).toMatchObject(tallyOf({ rows: 4, created: 3, skipped: 1 }));
  expect(await listCalls("export")).toMatchObject([
    { call_id: "CAL04", caller_number: null, source: "fb-spring", medium: "paid-social" },
    { call_id: "CAL02", outcome: "missed", source: "direct", medium: "(not set)" },
    { call_id: "CAL01", outcome: "answered", source: "google ads", medium: "cpc", original_number: "+12185550100" },
  ]);
});

test("reads the log of a phone system, whose tracking numbers each had one source", async () => {
  await createAccount(server, "pbx");
  const mapping = await writeMapping(
    "origins.yaml",
    `
origins:
  "+4930555012": { original_number: "+4930555010", source: google, medium: cpc }
  "+4930555013": { original_number: "+4930555010", source: newspaper }
`,
  );
  const text = [
    '"","01702223344","030555012","from-trunk","""Anna"" <01702223344>","SIP/trunk-1","SIP/100-2","Dial","SIP/100","2026-05-01 09:00:00","2026-05-01 09:00:10","2026-05-01 09:01:10",70,60,"ANSWERED","DOCUMENTATION","1.1",""',
    '"","01702223345","030555013","from-trunk","""Ben"" <01702223345>","SIP/trunk-3","SIP/100-4","Dial","SIP/100","2026-05-01 10:00:00","","2026-05-01 10:00:30",30,0,"NO ANSWER","DOCUMENTATION","1.2",""',
  ].join("\n");
  const options = ["--format", "asterisk", "--mapping", mapping, "--country", "49", "--time-zone", "Europe/Berlin"];
  const { tally } = await importHistory("Master.csv", "pbx", text, ...options);
  expect(tally).toMatchObject(tallyOf({ rows: 2, created: 2 }));
  expect(await listCalls("pbx")).toMatchObject([
    { tracking_number: "+4930555013", source: "newspaper", medium: "(not set)", outcome: "missed" },
    { tracking_number: "+4930555012", source: "google", medium: "cpc", duration_seconds: 60 },
  ]);
});

/** Call log exports in the formats that providers document, each with a mapping file and the calls that result from the import. */
const EXPORTS: readonly (readonly [
  name: string,
  file: string,
  mapping: string,
  text: readonly string[],
  calls: readonly object[],
])[] = [
  [
    "DIDWW, whose numbers lack the plus sign",
    "didww.csv",
    `
started_at: Date/Time Start (UTC)
answered_at: Date/Time Connect (UTC)
ended_at: Date/Time End (UTC)
caller_number: Source
tracking_number: DID
number_format: international
outcome: Disconnect Code
outcomes: { "200": answered, "486": busy, "487": abandoned }
origins: { "*": { original_number: "+442071230000", source: print } }
`,
    [
      "Date/Time Start (UTC),Date/Time Connect (UTC),Date/Time End (UTC),Source,DID,Destination,Duration (secs),Disconnect Initiator,Disconnect Code,Disconnect Response",
      "2026-05-01 11:22:33,2026-05-01 11:22:35,2026-05-01 11:23:37,12125550123,442071234567,sip:shop@pbx.example,62,Origination,200,OK",
      "2026-05-01 12:22:33,,2026-05-01 12:22:50,447911123456,442071234567,sip:shop@pbx.example,0,Origination,487,Request Terminated",
    ],
    [
      { caller_number: "+447911123456", outcome: "abandoned", source: "print" },
      { caller_number: "+12125550123", tracking_number: "+442071234567", outcome: "answered", duration_seconds: 62 },
    ],
  ],
  [
    "CallRail, in words for people",
    "callrail.csv",
    `
call_id: Id
caller_number: Phone Number
tracking_number: Tracking Number
started_at: Start Time
duration: Duration (seconds)
outcome: Call Status
outcomes: { Answered Call: answered, Missed Call: missed, Voicemail: voicemail, Abandoned Call: abandoned }
source: Source
medium: Medium
recording_url: Recording Url
origins:
  "*": { original_number: "+12185550100" }
  "+12185550143": { original_number: "+12185550199" }
`,
    [
      "Id,Call Status,Number Name,Tracking Number,Source,Start Time,Duration (seconds),Name,Phone Number,Medium,Recording Url",
      "CAL1,Answered Call,Google pool,218-555-0142,Google Ads,2026-05-01 9:00 am,120,SMITH JOHN,212-555-0123,CPC,https://recordings.example/CAL1",
      "CAL2,Voicemail,Bing pool,218-555-0143,Bing Organic,2026-05-02 1:30 pm,45,,(212) 555-0124,,",
      "CAL3,Missed Call,Google pool,218-555-0142,Direct,2026-05-03 12:05 pm,0,,Restricted,,",
    ],
    [
      { call_id: "CAL3", caller_number: null, outcome: "missed", source: "direct", original_number: "+12185550100" },
      { call_id: "CAL2", outcome: "voicemail", source: "bing organic", original_number: "+12185550199" },
      { call_id: "CAL1", outcome: "answered", source: "google ads", medium: "cpc", duration_seconds: 120 },
    ],
  ],
  [
    "CallTrackingMetrics, as JSON",
    "ctm.jsonl",
    `
call_id: id
caller_number: caller
tracking_number: tracking_number
started_at: start_time
duration: duration
outcome: call_status
outcomes: { answered: answered, no-answer: missed, busy: busy, canceled: abandoned, failed: failed }
source: source
original_number: business_number
`,
    [
      '{"id":"call_123","caller":"+12125550123","tracking_number":"+12185550142","business_number":"(218) 555-0100","duration":180,"call_status":"answered","start_time":"2026-05-01T14:30:00Z","source":"google"}',
      '{"id":"call_124","caller":"+12125550124","tracking_number":"+12185550142","business_number":"(218) 555-0100","duration":9,"call_status":"canceled","start_time":"2026-05-01T15:30:00Z","source":null}',
    ],
    [
      { call_id: "call_124", outcome: "abandoned", source: null, medium: null },
      { call_id: "call_123", outcome: "answered", source: "google", original_number: "+12185550100" },
    ],
  ],
  [
    "WhatConverts, each row of which names its time zone",
    "whatconverts.csv",
    `
call_id: Lead ID
caller_number: Phone Number
tracking_number: Tracking Number
original_number: Destination Number
started_at: Date
time_zone: Timezone
duration: Duration (Seconds)
outcome: Answer Status
outcomes: { Answered: answered, Missed: missed }
source: Source
medium: Medium
`,
    [
      "Lead ID,Lead Type,Date,Timezone,Phone Number,Source,Medium,Tracking Number,Destination Number,Duration (Seconds),Answer Status",
      "1001,Phone Call,2026-05-01 13:44:00,America/New_York,+12125550123,google,cpc,+12185550142,+12185550100,95,Answered",
      "1002,Phone Call,2026-05-02 13:44:00,America/Phoenix,+12125550124,(direct),(none),+12185550143,+12185550100,12,Missed",
    ],
    [
      { call_id: "1002", started_at: expect.stringContaining("T20:44:00"), source: "(direct)", medium: "(none)" },
      { call_id: "1001", started_at: expect.stringMatching(/T1[78]:44:00/), source: "google" },
    ],
  ],
  [
    "Ringba, whose rows may have no end",
    "ringba.csv",
    `
call_id: Inbound Call Id
caller_number: Inbound Phone Number
tracking_number: Number
started_at: Call Date Time
ring_duration: Time To Connect In Seconds
talk_duration: Connection Length In Seconds
source: Publisher
origins: { "*": { original_number: "+12185550100", medium: affiliate } }
`,
    [
      "Inbound Call Id,Call Date Time,Inbound Phone Number,Number,Time To Connect In Seconds,Connection Length In Seconds,Publisher",
      "RGB1,2026-05-01 02:30:15 PM,+12125550123,+12185550142,6,60,Jane's Leads",
      "RGB2,2026-05-13 02:30:15 PM,+12125550123,+12185550142,,,Jane's Leads",
    ],
    [
      { call_id: "RGB2", outcome: "unknown", ended_at: null },
      { call_id: "RGB1", outcome: "answered", duration_seconds: 60, source: "jane's leads", medium: "affiliate" },
    ],
  ],
  [
    "Invoca, which corrects calls by further rows",
    "invoca.csv",
    `
call_id: transaction_id
caller_number: calling_phone_number
tracking_number: promo_number
original_number: destination_phone_number
started_at: start_time_local
talk_duration: connect_duration
duration: duration
source: call_source_description
`,
    [
      "transaction_id,start_time_local,calling_phone_number,promo_number,destination_phone_number,connect_duration,duration,call_source_description",
      "0-1,2026-05-01 09:00:00-05:00,212-555-0123,218-555-0142,218-555-0100,60,66,Online",
      "0-3,2026-05-01 10:00:00-05:00,212-555-0123,218-555-0142,218-555-0100,0,9,Print",
    ],
    [
      { call_id: "0-3", outcome: "missed", source: "print" },
      { call_id: "0-1", started_at: expect.stringContaining("T14:00:00"), outcome: "answered", source: "online" },
    ],
  ],
];

test("refuses a row whose time zone is unknown", async () => {
  await createAccount(server, "zones");
  const mapping = await writeMapping(
    "zones.yaml",
    "{ caller_number: a, tracking_number: b, started_at: c, answered_at: d, time_zone: z, origins: { '*': { original_number: '+12185550100' } } }",
  );
  const { tally, stderr } = await importHistory(
    "zones.csv",
    "zones",
    "a,b,c,d,z\n,+12185550142,2026-05-01 10:00:00,,Mars/Olympus\n",
    ...["--mapping", mapping],
  );
  expect(tally).toMatchObject(tallyOf({ refused: 1 }));
  expect(stderr).toMatch(/time_zone "Mars\/Olympus" must be a name in the IANA time zone database/);
});

test.each(EXPORTS)("reads the export of %s", async (_, file, mapping, text, calls) => {
  const [account] = file.split(".") as [string];
  await createAccount(server, account);
  const options = ["--mapping", await writeMapping(`${file}.yaml`, mapping), "--time-zone", "America/Chicago"];
  if (account !== "didww") options.push("--country", "1");
  const { tally, stderr } = await importHistory(file, account, text.join("\n"), ...options);
  expect(stderr).toBe("");
  expect(tally).toMatchObject(tallyOf({ created: calls.length }));
  expect(await listCalls(account)).toMatchObject(calls);
});

test("reports invalid options and mappings", async () => {
  await createAccount(server, "wrong");
  const mapping = await writeMapping("wrong.yaml", 'origins: { "+4930555012": { sauce: google } }');
  const bad = await importHistory("wrong.csv", "wrong", "a\n", "--mapping", mapping);
  expect(bad).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/origins must map each tracking number, in E.164/),
  });
  const origins = await writeMapping(
    "unused.yaml",
    "{ caller_number: a, tracking_number: b, started_at: c, outcome: d, source: e }",
  );
  const file = join(folder, "wrong.csv");
  const run = await runCommand(["calls", "import", file, "--mapping", origins], { server: server.url });
  expect(run).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/source applies only to calls from the time before .*--history/),
  });
  const column = "call_id,tracking_number,started_at,source\n";
  await writeFile(file, column);
  const unknown = await runCommand(["calls", "import", file], { server: server.url });
  expect(unknown).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/unknown column "source"/) });
  const nobody = await importHistory("none.csv", "nobody", `${column}a1,+12185550142,2026-05-01T09:00:00Z,google\n`);
  expect(nobody).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/account "nobody" not found/) });
});
