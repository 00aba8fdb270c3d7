import { expect, test } from "vitest";
import { describeBehavior } from "../testing/behavior.js";
import { readMetric } from "../testing/read-metric.js";
import { makePoolDue, newTrackedPool } from "../testing/tracked-pool.js";

describeBehavior(
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

    test("count nothing of a disabled account", async () => {
      const pool = await newTrackedPool(service, { size: 3, utilization: 1, numbers: 1 });
      await pool.pass({ "a / x": 300, "b / x": 200, "c / x": 100 });
      const failing = { failures: 3, last_failure: "x" };
      const own = service.server.database.kysely.updateTable("pool_passes").where("account_id", "=", pool.account.id);
      await own.set(failing).execute();
      const names = ["due_pools", "missing_numbers", "unserved_sources", "failing_pools"];
      const counts = () => Promise.all(names.map((name) => metric(`calltrack_${name}`)));
      expect(await counts()).toEqual([0, 2, 1, 1]);
      await service.api.updateAccount({ id: pool.account.id, is_active: false });
      await makePoolDue(service.server, pool.account.id, pool.pool.id);
      await service.server.runDue();
      expect(await counts()).toEqual([0, 0, 0, 0]);
      await service.api.updateAccount({ id: pool.account.id, is_active: true });
      await service.server.runDue();
      expect(await counts()).toEqual([0, 2, 1, 0]);
      await service.api.updatePool({ ...pool.name, size: 1, utilization: 0 });
      await service.server.runDue();
    });

    test("count a pool of a disabled account as frozen once, even when new numbers arrive", async () => {
      const { api } = service;
      const frozen = 'calltrack_passes_total{result="frozen"}';
      const before = (await metric(frozen)) ?? 0;
      const pool = await newTrackedPool(service, { size: 2, numbers: 1 });
      await api.updateAccount({ id: pool.account.id, is_active: false });
      await pool.addNumbers(1);
      for (let time = 0; time < 3; time++) await service.server.runDue();
      expect(await metric(frozen)).toBe(before + 1);
      expect((await api.listCallTrackers(pool.name)).entries).toHaveLength(1);
      await api.updateAccount({ id: pool.account.id, is_active: true });
      await service.server.runDue();
      expect((await api.listCallTrackers(pool.name)).entries).toHaveLength(2);
    });
  },
  { managesPools: false },
);
