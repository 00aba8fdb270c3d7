import { expect, test } from "vitest";
import { describeOnEngines } from "../testing/behaviour.js";
import { newTrackedPool } from "../testing/tracked-pool.js";

describeOnEngines("GET /metrics", (service) => {
  test("tells passes, changes and the capacity of all pools, as they are when it is asked", async () => {
    const { clients, server } = service;
    const pool = await newTrackedPool({ api: clients.json, server }, { size: 5, numbers: 2, utilization: 0.6 });
    await pool.visit({ "a / b": 300, "c / d": 200, "e / f": 150 });
    await pool.pass();
    const response = await fetch(`${server.url}/metrics`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const text = await response.text();
    for (const line of [
      'calltrack_call_tracker_changes_total{kind="added"} 2',
      'calltrack_call_tracker_changes_total{kind="activated"} 2',
      "calltrack_unserved_sources 1",
      "calltrack_missing_numbers 3",
      "calltrack_failing_pools 0",
      "calltrack_due_pools 0",
    ]) {
      expect(text.split("\n")).toContain(line);
    }
    expect(text).toMatch(/^calltrack_passes_total\{result="managed"\} [1-9]\d*$/m);
  });
});
