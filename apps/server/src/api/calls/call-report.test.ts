import { type CallReportGroupField, canonicalizeTimeZone, MAX_REPORT_ROWS } from "@calltrack/domain";
import fc from "fast-check";
import { sql } from "kysely";
import { expect, test } from "vitest";
import type { CallJson, CallReportRowJson } from "../../testing/api-client.js";
import { describeBehavior, describeOnEngines } from "../../testing/behavior.js";
import { requireRefusedFields } from "../../testing/refusal.js";
import { newTrackedPool, type TrackedPool } from "../../testing/tracked-pool.js";
import { reportCalls } from "./call-report.js";
import { getVisitCountStatement } from "./call-report-statements.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const GROUPINGS = ["source", "medium", "property", "pool", "number", "day", "hour", "channel"] as const;

/** Returns the last Sunday of a month in UTC. European clocks change on that day at 01:00 UTC in March and October. */
function lastSunday(year: number, month: number): Date {
  const end = new Date(Date.UTC(year, month, 0));
  return new Date(end.getTime() - end.getUTCDay() * DAY_MS);
}

/** Returns the most recent clock change in the given month that is at least a day ago. */
function lastChange(month: number): Date {
  const year = new Date().getUTCFullYear();
  return [year, year - 1]
    .map((each) => lastSunday(each, month))
    .find((day) => day.getTime() < Date.now() - 2 * DAY_MS) as Date;
}

describeOnEngines("the time zones of reports", (service) => {
  const links = ["CET", "MET", "EET", "WET", "HST", "GMT", "GB", "US/Pacific", "Japan", "PRC", "Etc/GMT+5", "EST5EDT"];

  test("are those of the call flows, in summer too", async () => {
    const names = [...Intl.supportedValuesOf("timeZone"), ...links];
    const times = [new Date("2026-01-15T12:00:00Z"), new Date("2026-07-15T12:00:00Z")];
    const { rows } = await sql<{ hours: string[] }>`
      select array(
        select to_char(time at time zone zone, 'YYYY-MM-DD HH24:MI')
        from unnest(${names.map(canonicalizeTimeZone)}::text[]) zone, unnest(${times}::timestamptz[]) time
        order by zone, time) as hours`.execute(service.server.database.kysely);
    const format = (timeZone: string, time: Date) =>
      new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short", timeStyle: "short" }).format(time);
    const expected = names
      .map(canonicalizeTimeZone)
      .toSorted()
      .flatMap((name) => times.map((time) => format(name, time)));
    expect(rows[0]?.hours.toSorted()).toEqual(expected.toSorted());
  });
});

describeBehavior("the report of calls", (service) => {
  /** Creates a pool whose only number has been held for the whole retention period of calls. */
  async function newOldPool(): Promise<TrackedPool & { readonly number: string; readonly account_id: string }> {
    const visits = { "google / cpc": 300 };
    const pool = await newTrackedPool(service, { size: 1, utilization: 1, numbers: 1, visits });
    const number = pool.trackers[0]?.tracking_number as string;
    const { kysely } = service.server.database;
    const old = new Date(Date.now() - 399 * DAY_MS);
    await kysely
      .updateTable("tracking_number_holders")
      .set({ held_from: old })
      .where("phone_number", "=", number)
      .execute();
    await kysely
      .updateTable("call_tracker_changes")
      .set({ occurred_at: old })
      .where("tracking_number", "=", number)
      .execute();
    return { ...pool, number, account_id: pool.account.account_token };
  }

  async function record(tracking_number: string, starts: readonly number[], fields: object = {}): Promise<void> {
    const calls = starts.map((start, index) => {
      return { call_id: `${start}-${index}`, tracking_number, started_at: new Date(start).toISOString(), ...fields };
    });
    expect(await service.clients.json.batchCreateCalls({ calls })).toMatchObject({ created: starts.length });
  }

  test.each([
    ["spring", 3, 23],
    ["autumn", 10, 25],
  ])("counts a day of the time zone, also that of %s on which clocks change", async (_, month, hours) => {
    const { number, account_id } = await newOldPool();
    const change = lastChange(month);
    const midnight = change.getTime() - (hours === 23 ? 1 : 2) * HOUR_MS;
    const everyHour = Array.from({ length: hours + 2 }, (_, hour) => midnight + (hour - 1) * HOUR_MS);
    const starts = [...everyHour, midnight - 1, midnight + hours * HOUR_MS - 1];
    await record(number, starts);
    const report = (group_by: readonly string[], time_zone: string) =>
      service.api.reportCalls({ account_id, group_by, time_zone });
    const day = change.toISOString().slice(0, 10);
    const days = await report(["day"], "Europe/Berlin");
    expect(days.map((row) => [row.day, row.calls])).toEqual([
      [new Date(change.getTime() - DAY_MS).toISOString().slice(0, 10), 2],
      [day, hours + 1],
      [new Date(change.getTime() + DAY_MS).toISOString().slice(0, 10), 1],
    ]);
    const onDay = (await report(["day", "hour"], "europe/berlin")).filter((row) => row.day === day);
    const counts = Object.fromEntries(onDay.map((row) => [row.hour, row.calls]));
    expect(counts[2]).toBe(hours === 23 ? undefined : 2);
    expect([counts[1], counts[3], counts[23]]).toEqual([1, 1, 2]);
    const utc = await report(["day"], "UTC");
    const onUtcDay = starts.filter((start) => new Date(start).toISOString().startsWith(day));
    expect(utc.find((row) => row.day === day)?.calls).toBe(onUtcDay.length);
  });

  test("includes from, excludes to, and returns one row without groups", async () => {
    const { number, account_id } = await newOldPool();
    const [from, to] = [Date.now() - 2 * HOUR_MS, Date.now() - HOUR_MS];
    await record(number, [from - 1, from, to - 1, to]);
    const between = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    const rows = await service.api.reportCalls({ account_id, ...between });
    expect(rows).toEqual([
      {
        ...{
          source: null,
          medium: null,
          property_token: null,
          pool_id: null,
          tracking_number: null,
          day: null,
          hour: null,
          channel: null,
        },
        ...{ calls: 2, answered: 0, missed: 0, first_calls: 0, total_seconds: 0, average_seconds: null },
        ...{ visits: null, calls_per_100_visits: null, abandoned: 0, unknown: 0, voicemail: 0 },
      },
    ]);
    const empty = { account_id, from: between.to, to: between.to };
    expect(await service.api.reportCalls(empty)).toMatchObject([{ calls: 0, average_seconds: null }]);
    expect(await service.api.reportCalls({ ...empty, group_by: ["day"] })).toEqual([]);
  });

  test("returns visits with calls, and for groups without calls", async () => {
    const { number, account_id, property, visit } = await newOldPool();
    await visit({ "bing / organic": 50 });
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    await record(number, [Math.max(today, Date.now() - MINUTE_MS)]);
    const whole = { from: new Date(today).toISOString(), to: new Date(today + DAY_MS).toISOString() };
    const report = (fields: object) => service.api.reportCalls({ account_id, ...whole, ...fields });
    expect((await report({ group_by: ["source", "medium"] })).map(visitsOf)).toEqual([
      ["google", 1, 300, 1 / 3],
      ["bing", 0, 50, 0],
    ]);
    expect((await report({ group_by: ["property", "day"] })).map(visitsOf)).toEqual([[null, 1, 350, 100 / 350]]);
    expect(await report({ group_by: ["property"] })).toMatchObject([{ property_token: property }]);
    for (const fields of [
      { group_by: ["pool"] },
      { group_by: ["source", "hour"] },
      { group_by: ["source"], time_zone: "Europe/Berlin" },
      { group_by: ["source"], from: new Date(today - 40 * DAY_MS).toISOString() },
      { group_by: ["source"], to: new Date(today + HOUR_MS).toISOString() },
    ]) {
      const rows = await report(fields);
      expect(
        rows.every((row) => row.visits === null && row.calls_per_100_visits === null),
        JSON.stringify(fields),
      ).toBe(true);
    }
  });

  test("sums up calls and visits by channel, alone and with other groups", async () => {
    const { number, account_id, visit } = await newOldPool();
    await visit({ "bing / cpc": 50, "facebook / social": 20, "instagram / social": 10, "spring / flyer": 1 });
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    await record(number, [Math.max(today, Date.now() - MINUTE_MS)]);
    const report = (group_by: readonly string[]) =>
      service.api.reportCalls({ account_id, group_by, from: new Date(today).toISOString() });
    const rowsOf = async (...group_by: string[]) =>
      (await report(group_by)).map(({ channel, source, medium, calls, visits }) => [
        ...[channel, source, medium],
        ...[calls, visits],
      ]);
    expect(await rowsOf("channel")).toEqual([
      ["Paid Search", null, null, 1, 350],
      ["Organic Social", null, null, 0, 30],
      ["Unassigned", null, null, 0, 1],
    ]);
    expect(await rowsOf("channel", "source")).toEqual([
      ["Paid Search", "google", null, 1, 300],
      ["Paid Search", "bing", null, 0, 50],
      ["Organic Social", "facebook", null, 0, 20],
      ["Organic Social", "instagram", null, 0, 10],
      ["Unassigned", "spring", null, 0, 1],
    ]);
    expect((await rowsOf("channel", "day")).map(([channel]) => channel)).toEqual([
      ...["Paid Search", "Organic Social", "Unassigned"],
    ]);
  });

  test("returns the visits of each whole day, even if the report also covers other times", async () => {
    const { number, account_id } = await newOldPool();
    const now = Date.now();
    const today = Math.floor(now / DAY_MS) * DAY_MS;
    await record(number, [now - 40 * DAY_MS, now - 7 * DAY_MS, now]);
    const report = async (fields: object) => {
      const rows = await service.api.reportCalls({ account_id, group_by: ["day"], ...fields });
      return rows.map(({ day, visits, calls_per_100_visits }) => [day, visits, calls_per_100_visits]);
    };
    const day = (ago: number) => new Date(today - ago * DAY_MS).toISOString().slice(0, 10);
    const ofToday = [day(0), 300, 1 / 3];
    expect(await report({})).toEqual([[day(40), null, null], [day(7), 0, null], ofToday]);
    expect(await report({ from: new Date(now - 7 * DAY_MS).toISOString() })).toEqual([[day(7), null, null], ofToday]);
    const sinceMidnight = { group_by: ["source"], from: new Date(today).toISOString() };
    expect((await service.api.reportCalls({ account_id, ...sinceMidnight })).map(visitsOf)).toEqual([
      ["google", 1, 300, 1 / 3],
    ]);
  });

  test("rejects unknown groupings and time zones", async () => {
    const { account_id } = await newOldPool();
    for (const [fields, field] of [
      [{ time_zone: "+01:00" }, "time_zone"],
      [{ time_zone: "Mars/Olympus" }, "time_zone"],
      [{ from: "2026-01-02T00:00:00Z", to: "2026-01-01T00:00:00Z" }, "to"],
    ] as const) {
      expect(await requireRefusedFields(service.api.reportCalls({ account_id, ...fields }))).toEqual([field]);
    }
  });

  test("rejects a report of too many rows, and reads no more groups of visits than that", async () => {
    const { account, account_id, property } = await newOldPool();
    const { kysely, db } = service.server.database;
    const day = new Date().toISOString().slice(0, 10);
    const sources = (from: number, to: number) =>
      kysely
        .insertInto("visit_counts")
        .columns(["account_id", "property_token", "day", "source", "medium", "visits"])
        .expression(
          sql`select ${account.id}::integer, ${property}, ${day}::date, 'source ' || n, 'cpc', 1 from generate_series(${from}::integer, ${to}::integer) n`,
        )
        .execute();
    // Starts with source 2, because the pool already has visits of one source.
    await sources(2, MAX_REPORT_ROWS);
    const report = () => service.api.reportCalls({ account_id, group_by: ["source", "day"] });
    expect(await report()).toHaveLength(MAX_REPORT_ROWS);
    await sources(MAX_REPORT_ROWS + 1, MAX_REPORT_ROWS + 1);
    expect(await requireRefusedFields(report())).toEqual(["group_by"]);
    const bounds = { accountId: account.id, from: day, to: new Date(Date.now() + DAY_MS).toISOString(), limit: 3 };
    expect(await getVisitCountStatement(new Set(["source"]))(db, bounds)).toHaveLength(3);
  });

  test("agrees with the list for all calls and groupings", { timeout: 300_000 }, async () => {
    const { number, account_id } = await newOldPool();
    const start = Date.now() - 90 * DAY_MS;
    const call = fc.record({
      minute: fc.nat({ max: 80 * 24 * 60 }),
      answeredAfter: fc.option(fc.nat({ max: 60 })),
      endedAfter: fc.option(fc.nat({ max: 4000 })),
      caller: fc.option(fc.nat({ max: 5 })),
      unanswered: fc.constantFrom(undefined, "unknown", "abandoned", "voicemail"),
    });
    const calls = fc
      .sample(call, { numRuns: 300, seed: 20 })
      .map(({ minute, answeredAfter, endedAfter, caller, unanswered }, index) => {
        const started = start + minute * MINUTE_MS;
        const at = (seconds: number | null) =>
          seconds === null ? undefined : new Date(started + seconds * 1000).toISOString();
        return {
          ...{ call_id: String(index), tracking_number: number, started_at: at(0), answered_at: at(answeredAfter) },
          ended_at: endedAfter === null ? undefined : at((answeredAfter ?? 0) + endedAfter),
          caller_number: caller === null ? undefined : `+1555000000${caller}`,
          outcome:
            endedAfter !== null && (answeredAfter === null || unanswered === "voicemail") ? unanswered : undefined,
        };
      });
    expect(await service.clients.json.batchCreateCalls({ calls })).toMatchObject({ created: 300, refused: [] });
    const { entries } = await service.api.listCalls({ account_id });
    expect(entries).toHaveLength(300);
    for (const group_by of [["day"], ["hour", "source"], [...GROUPINGS]]) {
      const rows = await service.api.reportCalls({ account_id, group_by, time_zone: "America/New_York" });
      expect(sumsOfRows(rows)).toEqual(sumsOfCalls(entries));
    }
    const half = new Date(start + 40 * DAY_MS).toISOString();
    const listed = await service.api.listCalls({ account_id, from: half });
    const [row] = await service.api.reportCalls({ account_id, from: half });
    const sums = sumsOfCalls(listed.entries);
    expect(row && sumsOfRows([row])).toEqual(sums);
    const timed = listed.entries.filter(
      (each) => each.answered_at !== null && each.outcome !== "voicemail" && each.duration_seconds !== null,
    );
    expect(row?.average_seconds).toBeCloseTo(sums.total_seconds / timed.length);
  });

  test("is the same in parts as in one statement", async () => {
    const { number, account_id, account } = await newOldPool();
    const start = Date.now() - 90 * DAY_MS;
    // Up to three calls start at the same time.
    const starts = Array.from({ length: 40 }, (_, index) => start + Math.floor(index / 3) * 7 * HOUR_MS);
    await record(number, starts);
    const owner = { accountId: account.id, accountToken: account_id };
    const report = { from: new Date(start), to: new Date(start + 60 * DAY_MS), timeZone: "America/New_York" };
    const { db } = service.server.database;
    for (const fields of [[], ["day"], ["source", "hour"], ["channel", "day"]] as const) {
      const groupBy = new Set<CallReportGroupField>(fields);
      const whole = await reportCalls(db, owner, { ...report, groupBy }, 30, new Date());
      expect(whole.reduce((sum, { calls }) => sum + calls, 0)).toBe(40);
      for (const maxCalls of [1, 7, 39, 40, 1000]) {
        expect(await reportCalls(db, owner, { ...report, groupBy }, 30, new Date(), maxCalls)).toEqual(whole);
      }
    }
  });
});

function visitsOf({ source, calls, visits, calls_per_100_visits }: CallReportRowJson) {
  return [source, calls, visits, calls_per_100_visits];
}

function sumsOfRows(rows: readonly CallReportRowJson[]) {
  const sum = (value: (row: CallReportRowJson) => number) => rows.reduce((all, row) => all + value(row), 0);
  return {
    calls: sum((row) => row.calls),
    answered: sum((row) => row.answered),
    missed: sum((row) => row.missed),
    abandoned: sum((row) => row.abandoned),
    unknown: sum((row) => row.unknown),
    voicemail: sum((row) => row.voicemail),
    first_calls: sum((row) => row.first_calls),
    total_seconds: sum((row) => row.total_seconds),
  };
}

function sumsOfCalls(calls: readonly CallJson[]) {
  const count = (is: (call: CallJson) => boolean) => calls.filter(is).length;
  return {
    calls: calls.length,
    answered: count(({ answered_at, outcome }) => answered_at !== null && outcome !== "voicemail"),
    missed: count(
      ({ answered_at, outcome }) =>
        answered_at === null && !["in_progress", "unknown", "voicemail"].includes(outcome as string),
    ),
    abandoned: count(({ outcome }) => outcome === "abandoned"),
    unknown: count(({ outcome }) => outcome === "unknown"),
    voicemail: count(({ outcome }) => outcome === "voicemail"),
    first_calls: count(({ is_first_call }) => is_first_call === true),
    total_seconds: calls
      .filter(({ outcome }) => outcome !== "voicemail")
      .reduce((all, { duration_seconds }) => all + (duration_seconds ?? 0), 0),
  };
}
