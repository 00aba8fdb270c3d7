import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { openDatabase } from "../database/open-database.js";
import { registerPoolCapacityMetrics } from "../pool-management/capacity-metrics.js";
import { describeOnPostgres } from "../testing/behavior.js";
import { newTrackedPool } from "../testing/tracked-pool.js";

describeOnPostgres("GET /metrics", (service) => {
  test("returns the current capacity of all pools on every scrape, including the first", async () => {
    const { clients, server } = service;
    const pool = await newTrackedPool({ api: clients.json, server }, { size: 5, numbers: 2, utilization: 0.6 });
    await pool.visit({ "a / b": 300, "c / d": 200, "e / f": 150 });
    await pool.pass();
    const response = await fetch(`${server.opsUrl}/metrics`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const text = await response.text();
    for (const line of [
      "calltrack_unserved_sources 1",
      "calltrack_missing_numbers 3",
      "calltrack_failing_pools 0",
      "calltrack_due_pools 0",
      "calltrack_database_up 1",
    ]) {
      expect(text.split("\n")).toContain(line);
    }
  });
});

test("reports an unreachable database and omits the metrics read from it", async () => {
  const { db, close } = openDatabase({ kind: "postgres", url: "postgres://calltrack@127.0.0.1:1/calltrack" });
  const registry = new Registry();
  registerPoolCapacityMetrics(db, registry);
  const lines = (await registry.metrics()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  expect(lines).toEqual(["calltrack_database_up 0"]);
  await close();
});
