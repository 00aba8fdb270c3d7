import { expect, test } from "vitest";
import { describeBehaviour } from "../testing/behaviour.js";
import { readMetric } from "../testing/read-metric.js";
import { newTrackedPool } from "../testing/tracked-pool.js";

describeBehaviour(
  "the metrics of pools",
  (service) => {
    const metric = (name: string) => readMetric(service.server.opsUrl, name);

    test("count passes and their changes, and report the capacity of all pools", async () => {
      const [passes, added] = ['calltrack_passes_total{result="managed"}', "calltrack_call_tracker_changes_total"];
      expect(await metric("calltrack_due_pools")).toBe(0);
      const pool = await newTrackedPool(service, { size: 3, utilization: 1, numbers: 1 });
      await pool.pass({ "a / x": 300, "b / x": 200, "c / x": 100 });
      expect(await metric(passes)).toBeGreaterThanOrEqual(2);
      expect(await metric(`${added}{kind="added"}`)).toBe(1);
      expect(await metric(`${added}{kind="activated"}`)).toBe(1);
      expect(await metric("calltrack_unserved_sources")).toBe(1);
      expect(await metric("calltrack_missing_numbers")).toBe(2);
      expect(await metric("calltrack_failing_pools")).toBe(0);
      await service.api.updatePool({ ...pool.name, size: 1, utilization: 0 });
      expect(await metric("calltrack_due_pools")).toBe(1);
      await service.server.runDue();
      for (const name of ["due_pools", "missing_numbers", "unserved_sources"])
        expect(await metric(`calltrack_${name}`)).toBe(0);
    });

    test("count a pool of a disabled account as frozen once, even when new numbers arrive", async () => {
      const { api } = service;
      const pool = await newTrackedPool(service, { size: 2, numbers: 1 });
      await api.updateAccount({ id: pool.account.id, is_active: false });
      await pool.addNumbers(1);
      for (let time = 0; time < 3; time++) await service.server.runDue();
      expect(await metric('calltrack_passes_total{result="frozen"}')).toBe(1);
      expect((await api.listCallTrackers(pool.name)).entries).toHaveLength(1);
      await api.updateAccount({ id: pool.account.id, is_active: true });
      await service.server.runDue();
      expect((await api.listCallTrackers(pool.name)).entries).toHaveLength(2);
    });
  },
  { managesPools: false },
);
