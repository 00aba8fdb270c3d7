import { expect, test } from "vitest";
import { describeOnEngines } from "../../testing/behavior.js";
import { readMetric } from "../../testing/read-metric.js";
import { newTrackedPool } from "../../testing/tracked-pool.js";
import { deleteExpiredCalls } from "../../upkeep/expired-rows.js";

const DAY_MS = 86_400_000;

describeOnEngines(
  "the retention of calls",
  (service) => {
    test("deletes only calls that expired by the clock of pool management", { timeout: 120_000 }, async () => {
      const api = service.clients.json;
      const pool = await newTrackedPool({ api, server: service.server }, { pool_type: "manual", size: 1, numbers: 1 });
      const [tracker] = pool.trackers;
      const { now } = await api.getClock();
      const calls = Array.from({ length: 1000 }, (_, index) => ({
        ...{ call_id: `old ${index}`.replace(" ", "-"), tracking_number: tracker?.tracking_number, started_at: now },
      }));
      expect(await api.batchCreateCalls({ calls })).toMatchObject({ created: 1000 });
      await api.createCall({ call_id: "another", tracking_number: tracker?.tracking_number, started_at: now });
      await api.advanceClock({ by: "10s" });
      const kept = await api.createCall({ call_id: "new", tracking_number: tracker?.tracking_number });
      const { db } = service.server.database;
      await deleteExpiredCalls(db, DAY_MS);
      const count = async () => (await api.reportCalls({ account_id: pool.account.account_token }))[0]?.calls;
      expect(await count()).toBe(1002);
      await deleteExpiredCalls(db, 5000);
      expect((await api.listCalls({ account_id: pool.account.account_token })).entries).toEqual([kept]);
      expect(
        await readMetric(
          service.server.opsUrl,
          'calltrack_calls_total{outcome="in_progress",tracker_status="available"}',
        ),
      ).toBe(1002);
    });
  },
  { hasVirtualClock: true },
);
