import { describe, expect, test } from "vitest";
import { createDataLocation } from "../testing/data-location.js";
import { createJsonClient } from "../testing/json-client.js";
import {
  createAutomanagedPoolFields,
  getPoolKeyFields,
  newAccountWithNumber,
  uniqueToken,
} from "../testing/request-fields.js";
import { type Environment, startServerProcess } from "../testing/server-process.js";
import { SERVER_ENGINES } from "../testing/test-database.js";

const MONTH_MS = 30 * 86_400_000;

describe.each(SERVER_ENGINES)("a database whose clock was virtual, on %s", (engine) => {
  test("has the real time while CLOCK is real, counts visits, and keeps its virtual time", async () => {
    await using location = await createDataLocation(engine);
    const start = (CLOCK: string) =>
      startServerProcess({ ...location.environment, CLOCK, VISIT_THRESHOLD: "0" } as Environment);
    const aheadMs = async (api: ReturnType<typeof createJsonClient>) =>
      Date.parse((await api.getClock()).now) - Date.now();

    await using virtual = await start("virtual");
    await createJsonClient(virtual.url).advanceClock({ by: "2592000s" });

    await using real = await start("real");
    const api = createJsonClient(real.url);
    expect(Math.abs(await aheadMs(api))).toBeLessThan(60_000);
    await real.waitForLog(
      '"ahead":"(?:29|30) days[^"]*".*CLOCK=real ignores that the clock was moved ahead while CLOCK was virtual',
    );
    const { account, number } = await newAccountWithNumber(api);
    const property_token = uniqueToken("property");
    const pool = await api.createPool(createAutomanagedPoolFields(account, number, { property_token }));
    const visit = { event_id: uniqueToken("event"), property_token, source: "google", medium: "cpc" };
    await api.recordVisits({ account_id: account.account_token, visits: [visit] });
    expect(await api.explainPool(getPoolKeyFields(account, pool))).toMatchObject({
      sources: [{ source: "google", visits: 1 }],
    });
    const { now } = await createJsonClient(virtual.url).advanceClock({ by: "3600s" });
    expect(Date.parse(now) - Date.now()).toBeGreaterThan(MONTH_MS);
    await Promise.all([virtual.stop(), real.stop()]);

    await using again = await start("virtual");
    expect(await aheadMs(createJsonClient(again.url))).toBeGreaterThan(MONTH_MS - 60_000);
    await again.waitForLog('"ahead":"(?:29|30) days[^"]*".*the virtual clock is ahead of the real time');
  });
});
