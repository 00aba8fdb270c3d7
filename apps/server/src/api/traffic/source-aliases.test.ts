import { expect, test } from "vitest";
import { describeBehavior } from "../../testing/behavior.js";
import { requireRefusedFields } from "../../testing/refusal.js";
import { newAccount, uniqueToken } from "../../testing/request-fields.js";
import { newTrackedPool } from "../../testing/tracked-pool.js";

const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";

describeBehavior("source aliases", (service) => {
  test("are empty until they are set, and are then returned unchanged", async () => {
    const { account_token } = await newAccount(service.api);
    const name = { account_id: account_token };
    expect(await service.api.getSourceAliases(name)).toMatchObject({ account_token, aliases: [], updated_at: null });
    const aliases = [
      { name: " GMB", source: "Google", medium: "Local" },
      { name: "fb", source: "facebook" },
    ];
    const set = await service.api.updateSourceAliases({ ...name, aliases });
    expect(set).toMatchObject({
      account_token,
      aliases: [
        { name: "gmb", source: "google", medium: "local" },
        { name: "fb", source: "facebook", medium: null },
      ],
    });
    expect(await service.api.getSourceAliases(name)).toEqual(set);
    expect(await service.api.updateSourceAliases(name)).toMatchObject({ aliases: [] });
    const wrong = [
      { name: "a", source: "b" },
      { name: "b", source: "c" },
    ];
    expect(await requireRefusedFields(service.api.updateSourceAliases({ ...name, aliases: wrong }))).toEqual([
      "aliases[0].source",
    ]);
  });

  test("allow 200 names of the maximum length", async () => {
    const name = { account_id: (await newAccount(service.api)).account_token };
    const longest = "\u{1F4DE}".repeat(255);
    const aliases = Array.from({ length: 200 }, (_, index) => ({
      ...{ name: `${index}`.padEnd(255, "x"), source: longest, medium: longest },
    }));
    expect(await service.api.updateSourceAliases({ ...name, aliases })).toMatchObject({ aliases });
    expect(await service.api.getSourceAliases(name)).toMatchObject({ aliases });
  });

  test("are audited, and do not change the etag of the account", async () => {
    const account = await newAccount(service.api);
    const name = { account_id: account.account_token };
    const before = await service.api.getAccount({ id: account.id });
    for (const source of ["b", "c"])
      await service.api.updateSourceAliases({ ...name, aliases: [{ name: "a", source }] });
    const { entries } = await service.api.listAuditEntries(name);
    expect(entries[0]).toMatchObject({
      ...{ method: "UpdateSourceAliases", resource_type: "source_aliases", resource_id: String(account.id) },
      before: { source_aliases: [{ name: "a", source: "b" }] },
      after: { source_aliases: [{ name: "a", source: "c" }] },
    });
    expect(await service.api.getAccount({ id: account.id })).toEqual(before);
  });

  test("apply to later visits: reported, recorded, and resolved with their numbers", async () => {
    const { account, page, pass, pool } = await newTrackedPool(service, { size: 2, numbers: 2, utilization: 1 });
    const name = { account_id: account.account_token };
    const visit = (count: number, source: string, medium: string) => ({
      ...{ event_id: uniqueToken("visit"), property_token: page.property_token, source, medium, count },
    });
    await service.api.recordVisits({ ...name, visits: [visit(10, "gmb", "organic")] });
    const aliases = ["gmb", "gbp"].map((each) => ({ name: each, source: "google", medium: "local" }));
    await service.api.updateSourceAliases({ ...name, aliases });
    await service.api.recordVisits({ ...name, visits: [visit(300, "GMB", "organic"), visit(200, "google", "local")] });
    await service.api.reportVisit({ ...page, event_id: uniqueToken("visit"), source: "gbp", medium: "x" });
    const evidence = { utm_source: "gbp", utm_medium: "organic", user_agent: BROWSER };
    await service.api.reportVisit({ ...page, event_id: uniqueToken("visit"), evidence });
    const trackers = await pass();
    expect(trackers.map(({ source, medium }) => [source, medium])).toContainEqual(["google", "local"]);
    const held = trackers.find(({ medium }) => medium === "local")?.tracking_number;

    const resolved = await service.api.resolveVisit({ ...page, evidence });
    expect(resolved).toMatchObject({ source: "google", medium: "local", numbers: [{ number: held }] });
    for (const [source, medium] of [
      ["gmb", "organic"],
      ["google", "local"],
      ["gbp", undefined],
    ]) {
      const numbers = await service.api.resolveNumbers({ ...page, source, medium });
      expect(numbers).toMatchObject([{ number: held }]);
    }
    const elsewhere = { ...page, property_token: uniqueToken("nowhere") };
    expect(await service.api.resolveVisit({ ...elsewhere, evidence })).toMatchObject({ source: "gbp", numbers: [] });
    const { sources } = await service.api.explainPool({ ...name, pool_id: pool.id });
    expect(sources).toMatchObject([
      { source: "google", medium: "local", visits: 502 },
      { source: "gmb", medium: "organic", visits: 10 },
    ]);
  });

  test("of one account do not affect the others", async () => {
    const [one, other] = [await newAccount(service.api), await newAccount(service.api)];
    const aliases = [{ name: "gmb", source: "google" }];
    await service.api.updateSourceAliases({ account_id: one.account_token, aliases });
    expect(await service.api.getSourceAliases({ account_id: other.account_token })).toMatchObject({ aliases: [] });
  });
});
