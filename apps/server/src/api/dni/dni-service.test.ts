import { fromJson, toBinary } from "@bufbuild/protobuf";
import { ResolveVisitRequestSchema } from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import { describe, expect, test } from "vitest";
import type { PoolJson, RequestFields } from "../../testing/api-client.js";
import { describeBehavior, describeOnPostgres } from "../../testing/behavior.js";
import { createGrpcFrame } from "../../testing/grpc-frame.js";
import { requireRefusal, requireRefusedFields } from "../../testing/refusal.js";
import {
  createAutomanagedPoolFields,
  createManualPoolFields,
  getPoolKeyFields,
  uniqueNumber,
  uniqueToken,
} from "../../testing/request-fields.js";
import { makePoolDue, newTrackedPool } from "../../testing/tracked-pool.js";

const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
const CRAWLER = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

describeBehavior("DNI", (service) => {
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
      const [, second, third] = pool.trackers;
      for (const { id } of [third, second] as { id: string }[])
        await service.api.updateCallTracker({ ...pool.name, call_tracker_id: id });
      const numbers = await service.api.resolveNumbers({ ...pool.page, source: "a", medium: "b" });
      expect(numbers).toMatchObject([{ number: second?.tracking_number }]);
    });

    test("returns one number for each original number, whichever of its pools has one", async () => {
      const manual = await newTrackedPool(service, { pool_type: "manual", size: 1 });
      const { account, property, originalNumber, areaCode } = manual;
      await manual.visit({ "google / cpc": 300, "bing / cpc": 200 });
      const fill = async (pool: PoolJson) => {
        await makePoolDue(service.server, account.id, pool.id);
        await service.server.runDue();
        const { entries } = await service.api.listCallTrackers(getPoolKeyFields(account, pool));
        return { pool, numberOf: (source: string) => entries.find((tracker) => tracker.source === source) };
      };
      const add = async (fields: RequestFields, number = originalNumber) => {
        const template = fields.pool_type === "manual" ? createManualPoolFields : createAutomanagedPoolFields;
        const own = { area_code: areaCode, property_token: property, utilization: fields.pool_type ? null : 1 };
        return fill(await service.api.createPool(template(account, number, { ...own, ...fields })));
      };
      const activate = async (pool: PoolJson) => {
        const name = getPoolKeyFields(account, pool);
        const [tracker] = (await service.api.listCallTrackers(name)).entries;
        await service.api.updateCallTracker({ ...name, call_tracker_id: tracker?.id });
        return { pool_id: pool.id, number: tracker?.tracking_number };
      };
      const shown = async (source: string) => {
        const numbers = await service.api.resolveNumbers({ ...manual.page, source, medium: "cpc" });
        const evidence = { utm_source: source, utm_medium: "cpc", user_agent: BROWSER };
        expect((await service.api.resolveVisit({ ...manual.page, evidence })).numbers).toEqual(numbers);
        return numbers.map(({ pool_id, number }) => ({ pool_id, number }));
      };
      const of = ({ pool, numberOf }: Awaited<ReturnType<typeof add>>, source: string) => [
        { pool_id: pool.id, number: numberOf(source)?.tracking_number },
      ];
      const first = await add({ size: 1 });
      const second = await add({ size: 2 });
      const lastManual = await add({ pool_type: "manual", size: 1 });
      expect(await shown("google")).toEqual(of(first, "google"));
      expect(await shown("bing")).toEqual(of(second, "bing"));
      expect(await shown("blog")).toEqual([{ pool_id: manual.pool.id, number: originalNumber }]);
      const younger = await activate(lastManual.pool);
      expect(await shown("blog")).toEqual([younger]);
      const older = await activate(manual.pool);
      expect(await shown("blog")).toEqual([older]);
      expect(await shown("google")).toEqual(of(first, "google"));
      const preceding = async (pool: PoolJson) =>
        (await service.api.explainPool(getPoolKeyFields(account, pool))).warnings.flatMap(
          (text) => /^pool (\S+) replaces /.exec(text)?.[1] ?? [],
        );
      expect(await preceding(first.pool)).toEqual([]);
      for (const pool of [manual.pool, second.pool, lastManual.pool])
        expect(await preceding(pool)).toEqual([first.pool.id]);
      const number = uniqueNumber();
      await service.api.createPhoneNumber({ account_id: account.account_token, phone_number: number });
      const other = await add({ pool_type: "manual", size: 1 }, number);
      expect(await shown("bing")).toEqual([...of(second, "bing"), { pool_id: other.pool.id, number }]);
      expect(await preceding(other.pool)).toEqual([]);
    });

    test("finds the number of a source whatever the case of its name", async () => {
      const pool = await newTrackedPool(service, { size: 1, utilization: 1, visits: { "Google / CPC": 300 } });
      for (const [source, medium] of [
        ["google", "cpc"],
        [" GOOGLE", "Cpc"],
      ]) {
        const numbers = await service.api.resolveNumbers({ ...pool.page, source, medium });
        expect(numbers).toMatchObject([{ number: pool.trackers[0]?.tracking_number }]);
      }
    });

    test("omits pools without DNI, and returns nothing for a property without pools", async () => {
      const pool = await newTrackedPool(service, { is_dni: false });
      expect(await service.api.resolveNumbers(pool.page)).toEqual([]);
      expect(await service.api.resolveNumbers({ ...pool.page, property_token: uniqueToken("nowhere") })).toEqual([]);
    });

    test("rejects invalid names of sources", async () => {
      const names = { source: "a\u0000b", medium: "x".repeat(256) };
      const page = { account_id: "acme", property_token: "shop" };
      const refusal = await requireRefusal(service.api.resolveNumbers({ ...page, ...names }));
      expect(refusal).toMatchObject({ status: "INVALID_ARGUMENT", reason: "FIELD_INVALID" });
      expect(refusal.violations.map(({ field }) => field)).toEqual(["source", "medium"]);
    });
  });

  describe("ResolveVisit", () => {
    test("returns the source that the evidence shows, the rule, and the numbers of the source", async () => {
      const pool = await newTrackedPool(service, { size: 2, utilization: 1, visits: { "google / organic": 300 } });
      const resolve = (evidence: object) =>
        service.api.resolveVisit({ ...pool.page, evidence: { user_agent: BROWSER, ...evidence } });
      const named = { pool_id: pool.pool.id, original_number: pool.originalNumber };
      const original = { ...named, number: pool.originalNumber, show_for_seconds: null };
      const google = { ...named, number: pool.trackers[0]?.tracking_number, show_for_seconds: 86_370 };
      expect(await resolve({ referrer: "https://www.google.de/search?q=x", page: "https://shop.example" })).toEqual({
        source: "google",
        medium: "organic",
        rule: "search_engine",
        is_counted: true,
        site: "shop.example",
        numbers: [google],
      });
      expect(await resolve({ utm_source: "News", utm_medium: "E-Mail", click_ids: ["gclid"] })).toEqual({
        source: "news",
        medium: "e-mail",
        rule: "campaign",
        is_counted: true,
        site: null,
        numbers: [original],
      });
      expect(await resolve({ referrer: "https://pay.test", ignored_referrers: ["pay.test"] })).toEqual({
        source: "(direct)",
        medium: "(none)",
        rule: "ignored_referrer",
        is_counted: false,
        site: null,
        numbers: [original],
      });
    });

    test("gives a crawler neither a source nor numbers", async () => {
      const pool = await newTrackedPool(service, { size: 1, utilization: 1, visits: { "google / cpc": 300 } });
      const evidence = { click_ids: ["gclid"], user_agent: CRAWLER };
      expect(await service.api.resolveVisit({ ...pool.page, evidence })).toEqual({
        source: null,
        medium: null,
        rule: "crawler",
        is_counted: false,
        site: null,
        numbers: [],
      });
    });

    test("responds for an unknown or disabled account as for a property without pools", async () => {
      const pool = await newTrackedPool(service, { size: 1, utilization: 1, visits: { "google / cpc": 300 } });
      await service.api.updateAccount({ id: pool.account.id, is_active: false });
      const evidence = { click_ids: ["gclid"], user_agent: BROWSER };
      for (const page of [
        pool.page,
        { ...pool.page, account_id: uniqueToken("nobody") },
        { ...pool.page, property_token: uniqueToken("nowhere") },
      ]) {
        expect(await service.api.resolveVisit({ ...page, evidence })).toEqual({
          source: "google",
          medium: "cpc",
          rule: "click_id",
          is_counted: true,
          site: null,
          numbers: [],
        });
      }
    });

    test("rejects missing evidence, and texts that are too long", async () => {
      const page = { account_id: "acme", property_token: "shop" };
      expect(await requireRefusedFields(service.api.resolveVisit(page))).toEqual(["evidence"]);
      const evidence = { referrer: `https://${"x".repeat(5000)}` };
      expect(await requireRefusedFields(service.api.resolveVisit({ ...page, evidence }))).toEqual([
        "evidence.referrer",
      ]);
    });
  });

  describe("ReportVisit", () => {
    test("counts visits of people by their evidence", async () => {
      const pool = await newTrackedPool(service, { size: 1, utilization: 1 });
      const report = (evidence: object, userAgent = BROWSER) =>
        service.api.reportVisit({
          ...pool.page,
          event_id: uniqueToken("visit"),
          evidence: { page: "https://shop.example", user_agent: userAgent, ...evidence },
        });
      await report({ utm_source: "chatgpt.com" });
      await report({ referrer: "https://chatgpt.com" });
      await report({ referrer: "https://chatgpt.com" }, CRAWLER);
      await report({ referrer: "https://shop.example" });
      await report({ referrer: "https://www.paypal.com" });
      const { sources } = await service.api.explainPool(pool.name);
      expect(sources).toMatchObject([{ source: "chatgpt", medium: "ai-assistant", visits: 2 }]);
      const named = { source: "ChatGPT ", medium: "AI-Assistant" };
      await service.api.reportVisit({ ...pool.page, event_id: uniqueToken("visit"), ...named });
      expect(await service.api.explainPool(pool.name)).toMatchObject({ sources: [{ visits: 3 }] });
    });

    test("rejects both a source and evidence, and neither", async () => {
      const visit = { account_id: "acme", property_token: "shop", event_id: "1" };
      const refusedFields = (fields: object) => requireRefusedFields(service.api.reportVisit({ ...visit, ...fields }));
      expect((await requireRefusal(service.api.reportVisit(visit))).violations).toEqual([
        { field: "evidence", description: "is required unless source and medium are set" },
      ]);
      expect(await refusedFields({ source: "google" })).toEqual(["medium"]);
      expect(await refusedFields({ source: "google", evidence: {} })).toEqual(["evidence"]);
      expect(await refusedFields({ source: "a\n", medium: "" })).toEqual(["medium", "source"]);
    });

    test("counts a repeated visit once for the pools of the property", async () => {
      const pool = await newTrackedPool(service, { size: 1, utilization: 1 });
      await pool.visit({ "google / cpc": 100 });
      const visit = { ...pool.page, event_id: uniqueToken("visit"), source: "google", medium: "cpc" };
      expect(await pool.pass()).toMatchObject([{ status: "available" }]);
      for (let time = 0; time < 3; time++) expect(await service.api.reportVisit(visit)).toEqual({});
      expect(await pool.pass()).toMatchObject([{ status: "active" }]);
      expect(await service.api.explainPool(pool.name)).toMatchObject({ sources: [{ visits: 101 }] });
    });

    test("counts nothing for a disabled account, by name and by evidence", async () => {
      const pool = await newTrackedPool(service, { size: 1, utilization: 1 });
      const report = (visit: object) =>
        service.api.reportVisit({ ...pool.page, event_id: uniqueToken("visit"), ...visit });
      await service.api.updateAccount({ id: pool.account.id, is_active: false });
      expect(await report({ source: "google", medium: "cpc" })).toEqual({});
      expect(await report({ evidence: { click_ids: ["gclid"], user_agent: BROWSER } })).toEqual({});
      await service.api.updateAccount({ id: pool.account.id, is_active: true });
      await report({ source: "bing", medium: "cpc" });
      expect(await service.api.explainPool(pool.name)).toMatchObject({ sources: [{ source: "bing", visits: 1 }] });
      expect((await service.api.explainPool(pool.name)).sources).toHaveLength(1);
    });

    test("ignores a property without pools", async () => {
      const { page } = await newTrackedPool(service);
      const visit = { ...page, property_token: uniqueToken("nowhere"), event_id: "1", source: "google", medium: "cpc" };
      expect(await service.api.reportVisit(visit)).toEqual({});
    });
  });

  describe("ResolveCall", () => {
    test("returns the destination and the source of a call", async () => {
      const fields = { size: 1, utilization: 1, is_prompted: true, is_recorded: false };
      const pool = await newTrackedPool(service, { ...fields, visits: { "google / cpc": 300 } });
      const [tracker] = pool.trackers;
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
      const [tracker] = pool.trackers;
      expect(await service.api.resolveCall({ tracking_number: tracker?.tracking_number })).toMatchObject({
        call_tracker_id: tracker?.id,
        source: null,
        held_until: null,
      });
    });

    test("returns not found for a number that no call tracker ever held", async () => {
      const pool = await newTrackedPool(service, { size: 1, numbers: 0 });
      const [, free] = await pool.addNumbers(2);
      await pool.pass();
      for (const tracking_number of [free, "+19998887777"]) {
        await expect(service.api.resolveCall({ tracking_number })).rejects.toThrow(
          "NOT_FOUND TRACKING_NUMBER_NOT_FOUND",
        );
      }
      expect(await requireRefusal(service.api.resolveCall({ tracking_number: "12223334444" }))).toMatchObject({
        violations: [{ field: "tracking_number" }],
      });
    });
  });
});

describeBehavior(
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

  test("may resolve a visit, without a Content-Type, and must not cache the response", async () => {
    const send = (userAgent: string) =>
      fetch(propertyUrl("visits:resolve"), {
        method: "POST",
        headers: { origin: "https://shop.example", "user-agent": userAgent },
        body: new Blob([JSON.stringify({ evidence: { click_ids: ["gclid"] } })]),
      });
    const response = await send(BROWSER);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.json()).toMatchObject({ source: "google", rule: "click_id" });
    expect(await (await send(CRAWLER)).json()).toMatchObject({ rule: "crawler" });
  });

  test("cannot put evidence into a URL", async () => {
    const evidence = encodeURIComponent(JSON.stringify({ evidence: {} }));
    const rpc = `${service.server.url}/calltracking.v1.DniService/ResolveVisit?connect=v1&encoding=json&message=${evidence}`;
    expect((await fetch(rpc)).status).toBe(405);
    expect((await fetch(propertyUrl(`visits:resolve?evidence=${evidence}`))).status).toBe(405);
  });

  test("get errors that are not cached, and that a page can read with the time of a retry", async () => {
    const response = await fetch(propertyUrl("numbers?colour=red"), { headers: { origin: "https://shop.example" } });
    expect(response.status).toBe(400);
    expect(response.headers.get("cache-control")).toBeNull();
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-expose-headers")).toContain("retry-after");
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
    expect(preflight.headers.get("access-control-allow-headers")).toContain("content-type");
  });

  test("may send the documented timeout", async () => {
    const preflight = await fetch(propertyUrl("numbers"), {
      method: "OPTIONS",
      headers: {
        origin: "https://shop.example",
        "access-control-request-method": "GET",
        "access-control-request-headers": "x-server-timeout",
      },
    });
    expect(preflight.headers.get("access-control-allow-headers")).toContain("x-server-timeout");
  });

  const PROCEDURE = "/calltracking.v1.DniService/ResolveVisit";
  const MESSAGE = { account_id: "acme", property_token: "shop", evidence: { click_ids: ["gclid"] } };

  test.each<[protocol: string, headers: Record<string, string>]>([
    ["Connect", { "content-type": "application/json", "connect-protocol-version": "1", "connect-timeout-ms": "5000" }],
    ["gRPC-Web", { "content-type": "application/grpc-web+proto", "x-grpc-web": "1", "x-user-agent": "a" }],
    ["gRPC-Web with a timeout", { "content-type": "application/grpc-web+proto", "grpc-timeout": "5S" }],
  ])("may call a public procedure over %s from any page, after a preflight", async (protocol, headers) => {
    const preflight = await fetch(service.server.url + PROCEDURE, {
      method: "OPTIONS",
      headers: {
        origin: "https://shop.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": Object.keys(headers).toSorted().join(),
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    const allowed = preflight.headers.get("access-control-allow-headers")?.split(", ") ?? [];
    expect(allowed).toEqual(expect.arrayContaining(Object.keys(headers)));
    const request = toBinary(ResolveVisitRequestSchema, fromJson(ResolveVisitRequestSchema, MESSAGE));
    const response = await fetch(service.server.url + PROCEDURE, {
      method: "POST",
      headers: { ...headers, origin: "https://shop.example", "sec-fetch-site": "cross-site", "user-agent": BROWSER },
      body: protocol === "Connect" ? JSON.stringify(MESSAGE) : new Blob([new Uint8Array(createGrpcFrame(request))]),
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(await response.text()).toContain("google");
  });

  test("can read the error of a public procedure", async () => {
    const response = await fetch(service.server.url + PROCEDURE, {
      method: "POST",
      headers: { "content-type": "application/grpc-web+proto", origin: "https://shop.example" },
      body: new Blob([new Uint8Array(createGrpcFrame(new Uint8Array([0xff])))]),
    });
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    const exposed = response.headers.get("access-control-expose-headers")?.split(", ");
    expect(exposed).toEqual(expect.arrayContaining(["grpc-status", "grpc-message", "grpc-status-details-bin"]));
  });

  test.each(["/calltracking.v1.PoolService/ListPools", "/calltracking.v1.DniService/ResolveCall"])(
    "cannot call %s, which is not public",
    async (path) => {
      const headers = { origin: "https://shop.example", "sec-fetch-site": "cross-site" };
      const preflight = await fetch(service.server.url + path, {
        method: "OPTIONS",
        headers: { ...headers, "access-control-request-method": "POST" },
      });
      expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
      const response = await fetch(service.server.url + path, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: "{}",
      });
      expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([403, null]);
    },
  );

  test("get no preflight response on other paths", async () => {
    const preflight = await fetch(`${service.server.url}/dni_manager/accounts/acme/pools`, {
      method: "OPTIONS",
      headers: { origin: "https://shop.example", "access-control-request-method": "POST" },
    });
    expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
  });

  test.each(["/dni.js", "/dni.js?account=acme&property=shop", "/dni-page.js", "/dni-debug.js"])(
    "may load %s, which browsers cache for an hour",
    async (path) => {
      const response = await fetch(service.server.url + path);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
      expect(response.headers.get("cache-control")).toBe("public, max-age=3600");
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
      const again = await fetch(service.server.url + path, {
        headers: { "if-none-match": response.headers.get("etag") ?? "" },
      });
      expect(again.status).toBe(304);
      expect((await fetch(service.server.url + path, { method: "POST" })).status).toBe(405);
    },
  );
});
