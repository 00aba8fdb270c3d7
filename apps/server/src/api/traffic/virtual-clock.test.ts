import { expect, test } from "vitest";
import { readRankedSourcesStatement } from "../../pool-management/source-repository.js";
import { describeBehavior } from "../../testing/behavior.js";
import { newAccount, uniqueToken } from "../../testing/request-fields.js";

describeBehavior(
  "visits with a virtual clock",
  (service) => {
    test("count for the day of the virtual clock, until that day leaves the window", async () => {
      const { id, account_token: account_id } = await newAccount(service.api);
      const record = (...visits: object[]) => service.api.recordVisits({ account_id, visits });
      const visit = () => ({ event_id: uniqueToken(), property_token: "shop", source: "google", medium: "cpc" });
      const window = { accountId: id, propertyToken: "shop", windowDays: 30, threshold: 0, limit: 10 };
      const ranked = () => readRankedSourcesStatement(service.server.database.db, window);
      const { now: occurred_at } = await service.clients.json.getClock();
      await record(visit());
      await service.clients.json.advanceClock({ by: "2505600s" });
      const counted = await record(visit(), { ...visit(), occurred_at });
      expect(counted).toEqual({ recorded: 2, duplicates: 0, expired: 0 });
      expect(await ranked()).toMatchObject([{ visits: 3 }]);
      await service.clients.json.advanceClock({ by: "86400s" });
      expect(await ranked()).toMatchObject([{ visits: 1 }]);
      expect(await record({ ...visit(), occurred_at })).toMatchObject({ recorded: 0, expired: 1 });
    });
  },
  { hasVirtualClock: true },
);
