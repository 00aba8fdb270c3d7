import { expect, test } from "vitest";
import { anyTimestamp, anyUuid } from "../../testing/any-value.js";
import { createFilledPool } from "../../testing/sample-pool.js";
import { startSharedServer } from "../../testing/shared-server.js";

const server = await startSharedServer({ settings: { PASS_INTERVAL: "1s" } });
const { run, json, refusal } = server;

test("list, get, activate, flag and history", async () => {
  const pool = await createFilledPool(server, "manual", "415", 3);
  const [first, ...others] = await json("trackers", "list", "manual", pool);
  expect(first).toStrictEqual({
    ...{ id: anyUuid, original_number: "+12223334444", original_number_id: anyUuid, description: null },
    ...{ tracking_number: "+14155550000", pool_id: pool, status: "available", source: null, medium: null },
    ...{ created_at: anyTimestamp, dropped_at: null, updated_at: anyTimestamp },
  });
  expect(others).toHaveLength(2);
  const id = String(first?.id);
  expect(await json("trackers", "list", "manual", pool, "--limit", "1")).toStrictEqual([first]);
  const described = await json("trackers", "activate", "manual", pool, id, "--description", "Leaflet");
  expect(described).toMatchObject({ id, status: "active", description: "Leaflet" });
  const { status, dropped_at } = await json("trackers", "flag", "manual", pool, id);
  expect({ status, dropped_at }).toStrictEqual({ status: "flagged", dropped_at: anyTimestamp });
  expect(await json("trackers", "describe", "manual", pool, id, "Old leaflet")).toMatchObject({
    ...{ status, dropped_at, description: "Old leaflet" },
  });
  const again = await json("trackers", "activate", "manual", pool, id);
  expect(again).toMatchObject({ status: "active", description: "Old leaflet", dropped_at: null });
  expect(await json("trackers", "get", "manual", pool, id)).toStrictEqual(again);

  const history = await json("pools", "history", "manual", pool);
  expect(history.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["added", "activated", "flagged"]));
  expect(await json("pools", "history", "manual", pool, "--limit", "2")).toStrictEqual(history.slice(0, 2));
  const { stdout } = await run("pools", "history", "manual", pool, "--limit", "1");
  expect(stdout).toMatch(/^at +change +number +source +reason\n[\d-]{10} [\d:]{8}Z +added +\+14155550000 +- +\S.*\n$/);
});

test("--if-match makes each change conditional", async () => {
  const pool = await createFilledPool(server, "conditions", "217", 1);
  const [tracker] = await json("trackers", "list", "conditions", pool);
  const named = ["conditions", pool, String(tracker?.id)];
  for (const [command, ...options] of [["activate"], ["describe", "Leaflet"], ["flag"]] as const) {
    const { stdout: etag } = await run("trackers", "get", ...named, "--etag");
    const stale = ["trackers", command, ...named, ...options, "--if-match"];
    expect(await refusal(...stale, '"1"')).toContain("etag");
    expect(await run("trackers", "get", ...named, "--etag")).toMatchObject({ stdout: etag });
    expect(await run(...stale, etag.trim())).toMatchObject({ exitCode: 0 });
  }
});

test("describe activates an available call tracker", async () => {
  const pool = await createFilledPool(server, "described", "218", 1);
  const [tracker] = await json("trackers", "list", "described", pool);
  expect(await json("trackers", "describe", "described", pool, String(tracker?.id), "Leaflet")).toMatchObject({
    status: "active",
    description: "Leaflet",
  });
});

test("flag rejects an available call tracker", async () => {
  const pool = await createFilledPool(server, "available", "212", 1);
  const [first] = await json("trackers", "list", "available", pool);
  expect(await refusal("trackers", "flag", "available", pool, String(first?.id))).toContain(
    "is not active: activate it",
  );
});
