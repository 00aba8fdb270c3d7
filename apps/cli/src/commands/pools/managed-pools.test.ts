import { beforeAll, describe, expect, test } from "vitest";
import type { OutputRow } from "../../output/output-row.js";
import { anyTimestamp } from "../../testing/any-value.js";
import { pollUntil } from "../../testing/poll-until.js";
import { addInventory, createFilledPool } from "../../testing/sample-pool.js";
import { startSharedServer } from "../../testing/shared-server.js";

const server = await startSharedServer({ settings: { CLOCK: "virtual", PASS_INTERVAL: "1s" } });
const { run, json, refusal } = server;
const production = await startSharedServer();

const nobody = "01a1fcff-1f4f-7000-b6e9-e1eda5faabd1";

/** Creates an automanaged pool of size 4 with 2 active call trackers, and sources with 300, 200 and 150 visits. */
async function createAutomanaged(account: string, areaCode: string): Promise<string> {
  const pool = await createFilledPool(server, account, areaCode, 4, ...automanaged(account));
  for (const [source, count] of Object.entries({ google: 300, bing: 200, ask: 150 })) {
    const visit = ["--property", account, "--source", source, "--medium", "cpc", "--count", String(count)];
    expect(await json("visits", "record", account, ...visit)).toMatchObject({ recorded: 1 });
  }
  await json("clock", "advance", "1d");
  await pollUntil(async () => (await active(account, pool)).length === 2);
  return pool;
}

/** Returns the options of an automanaged pool for a property. */
function automanaged(property: string): string[] {
  return ["--type", "automanaged", "--property", property, "--utilization", "0.5"];
}

async function active(account: string, pool: string): Promise<OutputRow[]> {
  return (await json("trackers", "list", account, pool)).filter(({ status }) => status === "active");
}

describe("a manual pool", () => {
  test("explains that it serves no source automatically", async () => {
    const pool = await createFilledPool(server, "unmanaged", "213", 1);
    const { stdout } = await run("pools", "explain", "unmanaged", pool);
    expect(stdout).toContain(
      "capacity       serves no source automatically\ncall_trackers  0 active, 0 flagged, 1 available\n",
    );
  });
});

describe("an automanaged pool", () => {
  let pool: string;
  beforeAll(async () => {
    pool = await createAutomanaged("auto", "628");
  });

  test("rejects manual changes to its call trackers", async () => {
    const [first] = await active("auto", pool);
    for (const change of ["activate", "flag"]) {
      expect(await refusal("trackers", change, "auto", pool, String(first?.id))).toContain(
        "is automanaged and manages its call trackers itself",
      );
    }
  });

  test("is explained as text or complete JSON", async () => {
    const { exitCode, stdout, stderr } = await run("pools", "explain", "auto", pool);
    expect({ exitCode, stderr }).toStrictEqual({ exitCode: 0, stderr: "" });
    const [facts, table] = stdout.split("\n\n");
    expect(facts).toContain("serves up to 2 sources with 200 visits or more in 30 days; 3 sources had visits\n");
    expect(facts).toContain("2 active, 0 flagged, 2 available\n");
    const lines = table?.trimEnd().split("\n") ?? [];
    expect(lines[0]).toMatch(/^source +visits +rank +number +status +reason$/);
    expect(lines[1]).toMatch(/^google \/ cpc +300 +1 +\+1628\d{7} +active +the source holds /);
    expect(lines[3]).toMatch(/^ask \/ cpc +150 +3 +- +- +rank 3 of 2$/);

    const whole = await json("pools", "explain", "auto", pool);
    expect(whole).toMatchObject({ source_count: 3, serves_at_most: 2, visits_needed: 200, warnings: [], active: 2 });
    const shown = { source: "ask", medium: "cpc", visits: 150, rank: 3, call_tracker_id: null, status: null };
    expect((whole.sources as OutputRow[])[2]).toMatchObject(shown);
    const response = await fetch(`${server.url}/dni_manager/accounts/auto/pools/${pool}:explain`);
    expect(Object.keys((await response.json()) as OutputRow)).toStrictEqual(Object.keys(whole));
    const csv = await run("pools", "explain", "auto", pool, "--output", "csv");
    expect(csv.stdout.split("\n")).toHaveLength(5);
  });

  test("plans an update without applying it", async () => {
    const update = ["pools", "update", "auto", pool, "--size", "2"];
    const { exitCode, stdout, stderr } = await run(...update, "--plan");
    expect({ exitCode, stderr }).toStrictEqual({ exitCode: 0, stderr: "" });
    const [table, remark] = stdout.split("\n\n");
    expect(table).toMatch(/^at +change +number +source +reason +anyway\n/);
    expect(table).toMatch(/Z +flagged +\+1628\d{7} +bing \/ cpc +bing \/ cpc has rank 2 of 1 +no\n/);
    expect(remark).toMatch(/^This is a plan up to [\d-]{10} [\d:]{8}Z: nothing has been changed.\n$/);
    expect(await json("pools", "get", "auto", pool)).toMatchObject({ size: 4 });
    const plan = await json(...update, "--plan");
    expect(plan).toMatchObject({ unserved_sources: 0, missing_numbers: 0, planned_until: anyTimestamp });
    const csv = await run(...update, "--plan", "--output", "csv");
    expect(csv.stdout.trimEnd().split("\n")).toHaveLength((plan.changes as OutputRow[]).length + 1);

    const { stdout: nothing } = await run("pools", "update", "auto", pool, "--plan");
    expect(nothing).toMatch(/^No call tracker would change up to .*\n$/);
    const { stdout: lack } = await run("pools", "update", "auto", pool, "--size", "500", "--plan");
    expect(lack).toMatch(/\n\nAfterwards, .*the inventory would lack \d+ numbers with the area code\.\nThis is a plan/);
  });

  test("explains its capacity even with few sources", async () => {
    const id = await createFilledPool(server, "large", "216", 10, ...automanaged("large"));
    await json("visits", "record", "large", "--property", "large", "--source", "google", "--medium", "cpc");
    const { stdout } = await run("pools", "explain", "large", id);
    expect(stdout).toContain("serves up to 5 sources with 101 visits or more in 30 days; 1 source had visits\n");
  });

  test("explains the source of a visit without counting it", async () => {
    const ofGoogle = (await active("auto", pool)).find(({ source }) => source === "google");
    const explain = ["dni", "explain-visit", "auto", "auto"];
    expect((await run(...explain, "--click-id", "fbclid", "gclid")).stdout).toBe(
      `source      google\nmedium      cpc\nrule        click_id\nis_counted  true
site        -

pool_id                               original_number  number        show_for_seconds
${pool}  +12223334444     ${ofGoogle?.tracking_number}                 0
`,
    );
    const page = ["--page", "https://shop.example", "--utm-medium", "email"];
    const returning = ["--referrer", "https://bank.test", "--ignore-referrer", "bank.test"];
    expect(await json(...explain, ...page, ...returning)).toMatchObject({
      ...{ source: "(direct)", medium: "(none)", rule: "ignored_referrer", is_counted: false },
      numbers: [{ number: "+12223334444" }],
    });
    expect(await json(...explain, "--utm-source", "News", "--user-agent", "Googlebot/2.1")).toStrictEqual({
      ...{ source: null, medium: null, rule: "crawler", is_counted: false, site: null, numbers: [] },
    });
  });

  test("resolves numbers for visitors, and pools for calls", async () => {
    const ofGoogle = (await active("auto", pool)).find(({ source }) => source === "google");
    const number = String(ofGoogle?.tracking_number);
    const numbers = (...options: string[]) => json("dni", "numbers", "auto", "auto", ...options);
    const shown = { pool_id: pool, original_number: "+12223334444" };
    expect(await numbers("--source", "google", "--medium", "cpc")).toStrictEqual([
      { ...shown, number, show_for_seconds: 0 },
    ]);
    expect(await numbers()).toStrictEqual([{ ...shown, number: "+12223334444", show_for_seconds: null }]);
    expect(await json("dni", "numbers", "auto", "nowhere")).toStrictEqual([]);
    expect(await json("calls", "resolve", number)).toStrictEqual({
      ...{ tracking_number: number, original_number: "+12223334444", account_token: "auto", pool_id: pool },
      ...{ call_tracker_id: ofGoogle?.id, source: "google", medium: "cpc", is_prompted: false, is_recorded: false },
      held_until: null,
    });
    expect(await refusal("calls", "resolve", "+19995550000")).toContain('"+19995550000" not found');
  });

  test("replaces a retired number unless the account is disabled, and explains it in both cases", async () => {
    const id = await createAutomanaged("retiring", "217");
    const [first, second] = await active("retiring", id);
    const [number, burnt] = [String(first?.tracking_number), String(second?.tracking_number)];
    expect(await json("inventory", "retire", number)).toMatchObject({ state: "retiring", retires_immediately: false });
    await json("clock", "advance", "1s");
    const { stdout } = await run("pools", "explain", "retiring", id);
    expect(stdout).toMatch(
      /\n\n\+1217\d{7} of \S+ \/ cpc is being retired: the call tracker tracks calls until \S+Z\n$/,
    );
    const account = (await json("accounts", "list")).find(({ account_token }) => account_token === "retiring");
    await run("accounts", "disable", String(account?.id));
    const retired = await json("inventory", "retire", burnt, "--immediately");
    expect(retired).toMatchObject({ state: "retiring", retires_immediately: true });
    await json("clock", "advance", "40d");
    expect((await run("pools", "explain", "retiring", id)).stdout).toContain(
      "is being retired: the call tracker stays unchanged, because the account is disabled\n",
    );
    expect((await run("pools", "update", "retiring", id, "--size", "1", "--plan")).stdout).toBe(
      "No call tracker would change: call tracking is disabled for the account.\n",
    );
  });
});

test("rejects a pool that does not exist", async () => {
  await json("accounts", "create", "no-pools");
  const pool = `no-pools ${nobody}`;
  for (const line of [
    `trackers list ${pool}`,
    `trackers get ${pool} ${nobody}`,
    `pools explain ${pool}`,
    `pools history ${pool}`,
    `pools update ${pool} --plan`,
  ])
    expect(await refusal(...line.split(" "))).toBe(
      `error: pool "${nobody}" not found under this account: check the id and the account\n`,
    );
});

describe("visits", () => {
  test("are counted once per event id", async () => {
    await json("accounts", "create", "visits");
    const visit = ["visits", "record", "visits", "--property", "www", "--source", "google", "--medium", "cpc"];
    const { event_id: id } = await json(...visit);
    expect(await json(...visit, "--event-id", String(id))).toStrictEqual({
      ...{ event_id: id, recorded: 0, duplicates: 1, expired: 0 },
    });
    expect(await json(...visit)).toMatchObject({ recorded: 1 });
    expect(await json(...visit, "--at", "2020-01-01T00:00:00Z")).toMatchObject({ recorded: 0, expired: 1 });
    expect(await refusal(...visit, "--at", "2100-01-01T00:00:00Z")).toContain("must not be in the future");
  });
});

describe("inventory", () => {
  test("list, count and retire", async () => {
    await addInventory(server, "707", 3);
    const numbers = await json("inventory", "list", "--area-code", "707");
    expect(numbers[0]).toStrictEqual({
      ...{ phone_number: "+17075550000", area_code: "707", state: "free", account_id: null, pool_id: null },
      ...{
        call_tracker_id: null,
        phone_system_id: null,
        rests_until: null,
        created_at: anyTimestamp,
        updated_at: anyTimestamp,
      },
      retires_immediately: false,
    });
    expect(numbers).toHaveLength(3);
    expect(await json("inventory", "list", "--area-code", "707", "--limit", "2")).toStrictEqual(numbers.slice(0, 2));
    expect(await json("inventory", "retire", "+17075550001")).toMatchObject({ state: "retired" });
    const free = await json("inventory", "list", "--area-code", "707", "--state", "free");
    expect(free).toStrictEqual([numbers[0], numbers[2]]);
    expect(await json("inventory", "count", "--area-code", "707")).toStrictEqual([
      { area_code: "707", free: 2, resting: 0, assigned: 0, retiring: 0, retired: 1 },
    ]);
    expect(await json("inventory", "count", "--area-code", "99999")).toStrictEqual([]);
    expect(await refusal("inventory", "retire", "+17075559999")).toContain("not found");
  });
});

describe("clock", () => {
  test("show, which is the default, and advance", async () => {
    const { now, ...rest } = await json("clock");
    expect(rest).toStrictEqual({ is_virtual: true });
    const later = await json("clock", "advance", "12h");
    expect(Date.parse(String(later.now)) - Date.parse(String(now))).toBeGreaterThanOrEqual(12 * 3_600_000);
    expect((await run("clock", "show")).stdout).toMatch(/^now +[\d-]{10} [\d:]{8}Z\nis_virtual +true\n$/);
    expect(await refusal("clock", "advance", "400d")).toContain("must be between 1 millisecond and 366 days");
  });

  test("cannot be advanced on a production server", async () => {
    expect(await production.refusal("clock", "advance", "30d")).toMatch(/^error: .*CLOCK=virtual.*\n$/);
    expect(await production.json("clock")).toMatchObject({ is_virtual: false });
  });
});
