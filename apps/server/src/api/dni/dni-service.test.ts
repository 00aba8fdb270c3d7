import { describe, expect, test } from "vitest";
import { describeBehaviour, describeOnEngines, describeOnPostgres } from "../../testing/behaviour.js";
import { refusalOf } from "../../testing/refusal.js";
import { uniqueToken } from "../../testing/request-fields.js";
import { newTrackedPool } from "../../testing/tracked-pool.js";

describeBehaviour("DNI", (service) => {
  describe("ResolveNumbers", () => {
    test("returns the number of each served source, and the original number for others", async () => {
      const pool = await newTrackedPool(service, { size: 4, utilization: 0.5 });
      await pool.visit({ "google / cpc": 300, "bing / cpc": 200, "blog / referral": 150 });
      const trackers = await pool.pass();
      const shown = async (visitor: object) => {
        const numbers = await service.api.resolveNumbers({ ...pool.page, ...visitor });
        expect(numbers).toEqual([
          {
            pool_id: pool.pool.id,
            original_number: pool.originalNumber,
            number: expect.any(String),
            show_for_seconds: numbers[0]?.number === pool.originalNumber ? null : 86_370,
          },
        ]);
        return numbers[0]?.number;
      };
      const numberOf = (source: string) => trackers.find((tracker) => tracker.source === source)?.tracking_number;
      expect(await shown({ source: "google", medium: "cpc" })).toBe(numberOf("google"));
      expect(await shown({ source: "bing", medium: "cpc" })).toBe(numberOf("bing"));
      expect(await shown({ source: "google", medium: "organic" })).toBe(pool.originalNumber);
      expect(await shown({ source: "blog", medium: "referral" })).toBe(pool.originalNumber);
      expect(await shown({ source: "google" })).toBe(pool.originalNumber);
      expect(await shown({})).toBe(pool.originalNumber);
    });

    test("returns the original number once a source is no longer served", async () => {
      const pool = await newTrackedPool(service, { size: 1, utilization: 1, visits: { "google / cpc": 300 } });
      await pool.visit({ "bing / cpc": 500 });
      await pool.pass();
      const visitor = { ...pool.page, source: "google", medium: "cpc" };
      expect(await service.api.resolveNumbers(visitor)).toMatchObject([{ number: pool.originalNumber }]);
    });

    test("returns the oldest active call tracker of a manual pool for all sources", async () => {
      const pool = await newTrackedPool(service, { pool_type: "manual", size: 3 });
      const [, second, third] = await pool.pass();
      for (const { id } of [third, second] as { id: string }[])
        await service.api.updateCallTracker({ ...pool.name, call_tracker_id: id });
      const numbers = await service.api.resolveNumbers({ ...pool.page, source: "a", medium: "b" });
      expect(numbers).toMatchObject([{ number: second?.tracking_number }]);
    });

    test("omits pools without DNI, and returns nothing for a property without pools", async () => {
      const pool = await newTrackedPool(service, { is_dni: false });
      expect(await service.api.resolveNumbers(pool.page)).toEqual([]);
      expect(await service.api.resolveNumbers({ ...pool.page, property_token: uniqueToken("nowhere") })).toEqual([]);
    });

    test("refuses invalid names of sources", async () => {
      const refusal = await refusalOf(
        service.api.resolveNumbers({
          account_id: "acme",
          property_token: "shop",
          source: "a\u0000b",
          medium: "x".repeat(256),
        }),
      );
      expect(refusal).toMatchObject({ status: "INVALID_ARGUMENT", reason: "FIELD_INVALID" });
      expect(refusal.violations.map(({ field }) => field)).toEqual(["source", "medium"]);
    });
  });

  describe("ReportVisit", () => {
    test("counts a repeated visit once for the pools of the property", async () => {
      const pool = await newTrackedPool(service, { size: 1, utilization: 1 });
      await pool.visit({ "google / cpc": 100 });
      const visit = {
        ...pool.page,
        event_id: uniqueToken("visit"),
        source: "google",
        medium: "cpc",
      };
      expect(await pool.pass()).toMatchObject([{ status: "available" }]);
      for (let time = 0; time < 3; time++) expect(await service.api.reportVisit(visit)).toEqual({});
      expect(await pool.pass()).toMatchObject([{ status: "active" }]);
      expect(await service.api.explainPool(pool.name)).toMatchObject({ sources: [{ visits: 101 }] });
    });

    test("ignores a property without pools", async () => {
      const { page } = await newTrackedPool(service);
      const visit = { ...page, property_token: uniqueToken("nowhere"), event_id: "1", source: "google", medium: "cpc" };
      expect(await service.api.reportVisit(visit)).toEqual({});
    });
  });

  describe("ResolveCall", () => {
    test("returns the destination and the source of a call", async () => {
      const pool = await newTrackedPool(service, { size: 1, utilization: 1, is_prompted: true, is_recorded: false });
      await pool.visit({ "google / cpc": 300 });
      const [tracker] = await pool.pass();
      expect(await service.api.resolveCall({ tracking_number: tracker?.tracking_number })).toEqual({
        tracking_number: tracker?.tracking_number,
        original_number: pool.originalNumber,
        account_token: pool.account.account_token,
        pool_id: pool.pool.id,
        call_tracker_id: tracker?.id,
        source: "google",
        medium: "cpc",
        is_prompted: true,
        is_recorded: false,
        held_until: null,
      });
    });

    test("attributes a call to a flagged call tracker to its source", async () => {
      const pool = await newTrackedPool(service, { size: 1, utilization: 1, visits: { "google / cpc": 300 } });
      await pool.visit({ "bing / cpc": 500 });
      const [flagged] = await pool.pass();
      expect(await service.api.resolveCall({ tracking_number: flagged?.tracking_number })).toMatchObject({
        source: "google",
        held_until: null,
      });
    });

    test("resolves an available call tracker that never had a source", async () => {
      const pool = await newTrackedPool(service, { size: 1 });
      const [tracker] = await pool.pass();
      expect(await service.api.resolveCall({ tracking_number: tracker?.tracking_number })).toMatchObject({
        call_tracker_id: tracker?.id,
        source: null,
        held_until: null,
      });
    });

    test("returns not found for a number that no call tracker ever held", async () => {
      const pool = await newTrackedPool(service, { size: 1, numbers: 0 });
      const [free] = await pool.addNumbers(2).then(async (numbers) => {
        await pool.pass();
        return numbers.slice(1);
      });
      for (const tracking_number of [free, "+19998887777"]) {
        expect(await refusalOf(service.api.resolveCall({ tracking_number }))).toMatchObject({
          status: "NOT_FOUND",
          reason: "TRACKING_NUMBER_NOT_FOUND",
        });
      }
      expect(await refusalOf(service.api.resolveCall({ tracking_number: "12223334444" }))).toMatchObject({
        violations: [{ field: "tracking_number" }],
      });
    });
  });
});

describeOnEngines(
  "a released number",
  (service) => {
    test("resolves to its last holder, with the date, until another call tracker holds it", async () => {
      const api = service.clients.json;
      const tracked = { api, server: service.server };
      const pool = await newTrackedPool(tracked, { size: 2, utilization: 1, numbers: 2 });
      await pool.visit({ "google / cpc": 300, "bing / cpc": 200 });
      const number = (await pool.pass()).find(({ source }) => source === "bing")?.tracking_number;
      await api.updatePool({ ...pool.name, size: 1 });
      await service.server.runDue();
      await api.advanceClock({ by: `${31 * 86_400}s` });
      const resolution = await api.resolveCall({ tracking_number: number });
      const deactivated = (await api.listPoolHistory(pool.name)).entries.find(
        (change) => change.tracking_number === number && change.kind === "deactivated",
      );
      expect(resolution).toMatchObject({ pool_id: pool.pool.id, source: "bing", medium: "cpc" });
      expect(resolution.held_until).toBe(deactivated?.occurred_at);
      const next = await newTrackedPool(tracked, { size: 2, numbers: 0, area_code: pool.areaCode });
      expect(await api.resolveCall({ tracking_number: number })).toMatchObject({
        pool_id: next.pool.id,
        source: null,
        held_until: null,
      });
    });
  },
  { hasVirtualClock: true },
);

describeOnPostgres("cross-origin requests", (service) => {
  const propertyUrl = (rest: string) => `${service.server.url}/dni_manager/accounts/acme/properties/shop/${rest}`;

  test("may read numbers from any page, and cache them for a short time", async () => {
    const response = await fetch(propertyUrl("numbers?source=google&medium=cpc"), {
      headers: { origin: "https://shop.example" },
    });
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("cache-control")).toBe("public, max-age=30");
    expect(await response.json()).toEqual([]);
  });

  test("get errors that are not cached", async () => {
    const response = await fetch(propertyUrl("numbers?colour=red"));
    expect(response.status).toBe(400);
    expect(response.headers.get("cache-control")).toBeNull();
  });

  test("may report a visit, without a Content-Type as by a beacon, or with one after a preflight", async () => {
    const body = JSON.stringify({ event_id: "1", source: "google", medium: "cpc" });
    const beacon = await fetch(propertyUrl("visits"), { method: "POST", body: new Blob([body]) });
    expect([beacon.status, beacon.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
    const preflight = await fetch(propertyUrl("visits"), {
      method: "OPTIONS",
      headers: {
        origin: "https://shop.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type",
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    expect(preflight.headers.get("access-control-allow-methods")).toContain("POST");
    expect(preflight.headers.get("access-control-allow-headers")).toBe("content-type");
  });

  test("get no preflight response on other paths", async () => {
    const preflight = await fetch(`${service.server.url}/dni_manager/accounts/acme/pools`, {
      method: "OPTIONS",
      headers: { origin: "https://shop.example", "access-control-request-method": "POST" },
    });
    expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
  });

  test("may load the script, which browsers cache for an hour", async () => {
    const response = await fetch(`${service.server.url}/dni.js`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("public, max-age=3600");
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    const again = await fetch(`${service.server.url}/dni.js`, {
      headers: { "if-none-match": response.headers.get("etag") ?? "" },
    });
    expect(again.status).toBe(304);
    expect((await fetch(`${service.server.url}/dni.js`, { method: "POST" })).status).toBe(405);
  });
});
