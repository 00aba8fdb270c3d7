import { setTimeout as pause } from "node:timers/promises";
import { EVENT_TYPES } from "@calltrack/domain";
import { EventService } from "@calltrack/domain/gen/calltracking/v1/event_pb";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../../config/config.js";
import type { ApiClient, EventJson, RequestFields } from "../../testing/api-client.js";
import { describeBehavior } from "../../testing/behavior.js";
import { createBearerHeaders, createTestAdminKey } from "../../testing/credentials.js";
import { openEventStream } from "../../testing/event-stream.js";
import { createJsonClient } from "../../testing/json-client.js";
import { readMetric } from "../../testing/read-metric.js";
import { requireRefusal, requireRefusedFields } from "../../testing/refusal.js";
import { createManualPoolFields, newAccount, newPool, uniqueNumber } from "../../testing/request-fields.js";
import { newPhoneSystem } from "../../testing/sample-requests.js";
import { startTestServer, type TestServer } from "../../testing/test-server.js";
import { newTrackedPool } from "../../testing/tracked-pool.js";
import { deleteExpiredEvents } from "../../upkeep/expired-events.js";

const typesOf = (events: readonly EventJson[]) => events.map(({ type }) => type);

describeBehavior(
  "events",
  (service) => {
    const list = async (account_id: string, fields: RequestFields = {}) =>
      (await service.api.listEvents({ account_id, page_size: 1000, ...fields })).entries;

    /** Returns the types of the events that a change to an account writes. */
    async function eventsOf(account_id: string, change: () => Promise<unknown>): Promise<string[]> {
      const { nextCursor } = await service.api.listEvents({ account_id, cursor: "now" });
      await change();
      return typesOf(await list(account_id, { cursor: nextCursor }));
    }

    /** Returns the types of the events without an account that a change writes, without events from other tests. */
    async function foreignEventsOf(change: () => Promise<unknown>, isOwn: (event: EventJson) => boolean) {
      const { api, server } = service;
      const { nextCursor } = await createJsonClient(server.url).listEvents({
        account_id: (await newAccount(api)).account_token,
        cursor: "now",
      });
      await change();
      const events = await fetch(`${server.url}/dni_manager/events?cursor=${nextCursor}&page_size=1000`);
      return ((await events.json()) as EventJson[]).filter(isOwn);
    }

    test("are written for changes to each resource of an account, with the resource as the API shows it", async () => {
      const { api, server } = service;
      const tracked = await newTrackedPool({ api, server }, { pool_type: "manual", size: 2, numbers: 2 });
      const { account, name } = tracked;
      const account_id = account.account_token;
      const [tracker] = tracked.trackers;
      const trackerName = { ...name, call_tracker_id: tracker?.id };
      await api.updateCallTracker({ ...trackerName, description: "a leaflet" });
      await api.updateCallTracker({ ...trackerName, description: "a leaflet" });
      await api.flagCallTracker(trackerName);
      await api.updateCallTracker({ ...trackerName, status: "active" });
      await api.updatePool({ ...name, size: 3 });
      await tracked.pass();
      await tracked.addNumbers(1);
      await tracked.pass();
      await api.updateCallFlow({ ...name, settings: { ring_seconds: 25 } });
      await api.updateDefaultCallFlow({ account_id, settings: { ring_seconds: 20 } });
      await api.updateSourceAliases({ account_id, aliases: [{ name: "gmb", source: "google" }] });
      await api.updateAccount({ id: account.id, is_active: false });
      await api.updateAccount({ id: account.id, is_active: true });
      await api.updateAccount({ id: account.id, is_active: true });
      const events = await list(account_id);
      expect(typesOf(events)).toEqual([
        ...["account.created", "phone_number.created", "pool.created"],
        ...["call_tracker.added", "call_tracker.added"],
        ...["call_tracker.activated", "call_tracker.described", "call_tracker.flagged"],
        "call_tracker.unflagged",
        ...["pool.updated", "pool.problems_began", "call_tracker.added", "pool.problems_ended"],
        ...["call_flow.updated", "call_flow.updated", "source_aliases.updated"],
        ...["account.disabled", "account.enabled", "account.updated"],
      ]);
      for (const event of events) {
        const [kind = ""] = event.type.split(".");
        expect(event.account_token).toBe(account_id);
        const path = kind === "call_flow" ? `${event.subject}/call_flow` : event.subject;
        expect(event[kind], event.type).toEqual(await (await fetch(server.url + path)).json());
      }
      const positions = events.map(({ position }) => Number(position));
      expect(positions).toEqual(positions.toSorted((one, other) => one - other));
      expect(events.find(({ type }) => type === "call_tracker.flagged")?.call_tracker_event).toEqual({
        ...{ tracking_number: tracker?.tracking_number, source: null, medium: null, reason: "flagged by a person" },
      });
      expect(await list(account_id)).toEqual(events);
    });

    test("report what passes do, even to call trackers that are deleted by now", async () => {
      const { api, server } = service;
      const tracked = await newTrackedPool({ api, server }, { size: 2, numbers: 2, visits: { "google / cpc": 200 } });
      const { account_token: account_id } = tracked.account;
      const [tracker] = tracked.trackers;
      const passed = await eventsOf(account_id, () => tracked.pass({ "bing / cpc": 500 }));
      expect(passed.toSorted()).toEqual(["call_tracker.activated", "call_tracker.deactivated", "call_tracker.flagged"]);
      const types = await eventsOf(account_id, async () => {
        await api.retireTrackingNumber({ phone_number: tracker?.tracking_number, immediately: true });
        await tracked.pass();
      });
      expect(types.toSorted()).toEqual(["call_tracker.deleted", "call_tracker.retiring", "pool.problems_began"]);
      const deleted = (await list(account_id)).filter(({ type }) => type === "call_tracker.deleted");
      expect(deleted).toMatchObject([{ call_tracker_event: { tracking_number: tracker?.tracking_number } }]);
      expect(deleted[0]).not.toHaveProperty("call_tracker");
    });

    test("report calls that start, are answered and end, and all other changes to calls", async () => {
      const { api, server } = service;
      const { account, trackers } = await newTrackedPool({ api, server }, { pool_type: "manual" });
      const account_id = account.account_token;
      const tracking_number = trackers[0]?.tracking_number;
      await pause(50);
      const now = Date.now();
      const at = (ms: number) => new Date(now + ms).toISOString();
      const caller_number = uniqueNumber();
      const of = (change: () => Promise<unknown>) => eventsOf(account_id, change);
      let id = "";
      const running = { call_id: "running", tracking_number, caller_number, started_at: at(-20) };
      expect(
        await of(async () => {
          id = (await api.createCall(running)).id;
        }),
      ).toEqual(["call.started"]);
      expect(await of(() => api.createCall(running))).toEqual([]);
      expect(await of(() => api.updateCall({ account_id, id, answered_at: at(-10) }))).toEqual(["call.answered"]);
      expect(await of(() => api.updateCall({ account_id, id, recording_url: "https://r.example/1" }))).toEqual([
        "call.updated",
      ]);
      expect(await of(() => api.updateCall({ account_id, id, ended_at: at(0) }))).toEqual(["call.ended"]);
      expect(await of(() => api.updateCall({ account_id, id, recording_url: "https://r.example/2" }))).toEqual([
        "call.updated",
      ]);
      const over = {
        call_id: "over",
        tracking_number,
        caller_number,
        started_at: at(-40),
        answered_at: at(-30),
        ended_at: at(-25),
      };
      // The added call is earlier, so the existing call is no longer the caller's first.
      expect(await of(() => api.batchCreateCalls({ calls: [over] }))).toEqual(["call.ended", "call.updated"]);
      const past = {
        call_id: "past",
        tracking_number: uniqueNumber(),
        original_number: uniqueNumber(),
        started_at: at(-9000),
        ended_at: at(-1000),
        source: "google",
        medium: "cpc",
      };
      expect(await of(() => api.importCallHistory({ account_id, calls: [past] }))).toEqual(["call.ended"]);
      expect(await of(() => api.forgetCaller({ account_id, caller_number }))).toEqual([
        "call.caller_forgotten",
        "call.caller_forgotten",
      ]);
      const rows = await sql<{ text: string }>`select row_to_json(events)::text as text from events`.execute(
        service.server.database.kysely,
      );
      expect(JSON.stringify(rows.rows)).not.toContain(caller_number.slice(1));
      expect(JSON.stringify(await list(account_id))).not.toContain(caller_number);
    });

    test("for the inventory and for phone systems are only in the feed of all accounts", async () => {
      const { api } = service;
      const phone_number = uniqueNumber();
      const inventory = await foreignEventsOf(
        async () => {
          await api.addTrackingNumbers({ tracking_numbers: [{ phone_number, area_code: "1" }] });
          await api.addTrackingNumbers({ tracking_numbers: [{ phone_number, area_code: "1" }] });
          await api.retireTrackingNumber({ phone_number });
        },
        ({ subject }) => subject.includes(encodeURIComponent(phone_number)),
      );
      expect(typesOf(inventory)).toEqual(["tracking_number.added", "tracking_number.retired"]);
      expect(inventory[0]).toMatchObject({ account_token: null, tracking_number: { phone_number, state: "retired" } });
      let id = "";
      const systems = await foreignEventsOf(
        async () => {
          id = (await api.createPhoneSystem(newPhoneSystem())).phone_system.id;
          await api.updatePhoneSystem({ phone_system_id: id, name: "Another" });
        },
        ({ subject }) => subject.endsWith(id),
      );
      expect(typesOf(systems)).toEqual(["phone_system.created", "phone_system.updated"]);
      expect(systems[0]?.phone_system).toEqual(await api.getPhoneSystem({ phone_system_id: id }));
    });

    test("are not written for rejected requests, and only once for idempotent ones", async () => {
      const { api } = service;
      const { account, pool, number } = await newPool(api);
      const account_id = account.account_token;
      const request = { ...createManualPoolFields(account, number), request_id: crypto.randomUUID() };
      expect(await eventsOf(account_id, () => Promise.all([1, 2, 3].map(() => api.createPool(request))))).toEqual([
        "pool.created",
      ]);
      expect(
        await eventsOf(account_id, () =>
          Promise.all([
            requireRefusal(api.updatePool({ account_id, pool_id: pool.id, size: 0 })),
            requireRefusal(api.updatePool({ account_id, pool_id: pool.id, size: 3, etag: '"another"' })),
            requireRefusal(api.createPhoneNumber({ account_id, phone_number: number })),
          ]),
        ),
      ).toEqual([]);
      const { size } = await api.getPool({ account_id, pool_id: pool.id });
      expect(await eventsOf(account_id, () => api.updatePool({ account_id, pool_id: pool.id, size }))).toEqual([
        "pool.updated",
      ]);
    });

    test("can be filtered by type and time, and read in pages", async () => {
      const { api } = service;
      const { account, pool } = await newPool(api);
      const account_id = account.account_token;
      await pause(20);
      const from = new Date().toISOString();
      await api.updatePool({ account_id, pool_id: pool.id, size: 7 });
      expect(typesOf(await list(account_id, { types: ["pool.*", "account.created"] }))).toEqual([
        "account.created",
        "pool.created",
        "pool.updated",
      ]);
      expect(typesOf(await list(account_id, { from }))).toEqual(["pool.updated"]);
      // Events have times in microseconds.
      await sql`update events set occurred_at = date_trunc('milliseconds', occurred_at) + interval '700 microseconds'
        where account_id = ${account.id}`.execute(service.server.database.kysely);
      const times = (await list(account_id)).map(({ occurred_at }) => occurred_at);
      expect(typesOf(await list(account_id, { from: times.at(-1) }))).toEqual(["pool.updated"]);
      const afterLast = times.at(-1)?.replace("Z", "001Z");
      expect(await list(account_id, { from: afterLast })).toEqual([]);
      const pages: string[] = [];
      for (let cursor: string | undefined; pages.length < 4; ) {
        const { entries, nextCursor } = await api.listEvents({ account_id, page_size: 1, ...(cursor && { cursor }) });
        pages.push(...typesOf(entries));
        cursor = nextCursor;
      }
      expect(pages).toEqual(["account.created", "phone_number.created", "pool.created", "pool.updated"]);
      const fields = await requireRefusedFields(
        api.listEvents({ account_id, types: ["pool", "call.*", "x.y"], page_size: 0, from, cursor: "now" }),
      );
      expect(fields.toSorted()).toEqual(["from", "page_size", "types[0]", "types[2]"]);
    });

    test.each([
      "x",
      "AAAA",
      "now ",
      "ÿ",
      Buffer.alloc(40).toString("base64url"),
      Buffer.alloc(24, 255).toString("base64url"),
    ])("a cursor %j is unknown", async (cursor) => {
      const { account_token: account_id } = await newAccount(service.api);
      expect(await requireRefusal(service.api.listEvents({ account_id, cursor }))).toMatchObject({
        reason: "EVENT_CURSOR_UNKNOWN",
      });
    });

    test("are of every type", async () => {
      const { kysely } = service.server.database;
      const { rows } = await sql<{ type: string }>`select distinct type from events`.execute(kysely);
      // The events of webhook endpoints have their own tests.
      const expected = EVENT_TYPES.filter((type) => !type.startsWith("webhook_endpoint."));
      expect(rows.map(({ type }) => type).toSorted()).toEqual(expected.toSorted());
    });

    test("expire, together with the cursors from before them", async () => {
      const { api, server } = service;
      const { account_token: account_id, id } = await newAccount(api);
      await api.updateAccount({ id, is_active: true });
      const { kysely, db } = server.database;
      await sql`update events set occurred_at = now() - interval '2 days'`.execute(kysely);
      const { nextCursor: old } = await api.listEvents({ account_id, page_size: 1 });
      const { nextCursor: last } = await api.listEvents({ account_id, cursor: "now" });
      await deleteExpiredEvents(db, 3 * 86_400_000);
      expect(typesOf(await list(account_id, { cursor: old }))).toEqual(["account.updated"]);
      await deleteExpiredEvents(db, 86_400_000);
      expect(await list(account_id)).toEqual([]);
      expect(await requireRefusal(api.listEvents({ account_id, cursor: old }))).toMatchObject({
        reason: "EVENT_CURSOR_EXPIRED",
      });
      // The cursor is newer than all expired events, so it is still valid.
      expect(await list(account_id, { cursor: last })).toEqual([]);
      await api.updateAccount({ id, is_active: true });
      expect(typesOf(await list(account_id, { cursor: last }))).toEqual(["account.updated"]);
    });
  },
  { managesPools: false, poolRules: { ...readConfig({}).poolRules, gracePeriodMs: 1 } },
);

describe("a watcher", () => {
  let server: TestServer;
  let api: ApiClient;
  const watchers = {
    openStreams: {
      api: { total: 1, perClient: 1 },
      watchers: { total: 5, perClient: 4 },
      infrastructure: { total: 2, perClient: 2 },
    },
  };

  beforeAll(async () => {
    server = await startTestServer("postgres", {
      managesPools: false,
      limits: { ...watchers, maxRequests: 4 } as never,
    });
    api = createJsonClient(server.url);
  });
  afterAll(() => server.stop());

  const watchPath = (account: { readonly account_token: string }, query = "") =>
    `/dni_manager/accounts/${account.account_token}/events:watch${query}`;

  test("of an account gets a bookmark at once, then its events as they happen, and no others", async () => {
    const { account, pool } = await newPool(api);
    await using stream = await openEventStream(server.url, watchPath(account, "?types=pool.*"));
    await expect.poll(() => stream.messages).toEqual([{ event: null, cursor: expect.any(String) }]);
    const other = await newPool(api);
    await api.updatePool({ account_id: account.account_token, pool_id: pool.id, size: 7 });
    await api.updateAccount({ id: account.id, is_active: true });
    await expect.poll(() => typesOf(stream.events)).toEqual(["pool.updated"]);
    expect(stream.events[0]?.pool).toEqual(await api.getPool({ account_id: account.account_token, pool_id: pool.id }));
    await api.updatePool({ account_id: other.account.account_token, pool_id: other.pool.id, size: 7 });
    // After filtered-out events, the stream gets a bookmark, so that its client need not read them again.
    await expect.poll(() => stream.messages.at(-1)?.event).toBe(null);
    await using resumed = await openEventStream(
      server.url,
      watchPath(account, `?cursor=${stream.messages.at(-1)?.cursor}`),
    );
    await api.updatePool({ account_id: account.account_token, pool_id: pool.id, size: 8 });
    await expect.poll(() => typesOf(resumed.events)).toEqual(["pool.updated"]);
  });

  test("that is far behind gets all events before those that happen now", async () => {
    const { account, pool } = await newPool(api);
    const name = { account_id: account.account_token, pool_id: pool.id };
    const { nextCursor } = await api.listEvents({ account_id: name.account_id, cursor: "now" });
    for (let size = 1; size <= 250; size++) await api.updatePool({ ...name, size });
    await using stream = await openEventStream(server.url, watchPath(account, `?cursor=${nextCursor}`));
    await api.updatePool({ ...name, size: 251 });
    await expect.poll(() => stream.events.length).toBe(251);
    expect(new Set(stream.events.map(({ id }) => id)).size).toBe(251);
    const { entries } = await api.listEvents({ account_id: name.account_id, cursor: nextCursor, page_size: 1000 });
    expect(stream.events.map(({ id }) => id)).toEqual(entries.map(({ id }) => id));
  });

  test("over server-sent events gets ids, names and bookmarks, and resumes with Last-Event-ID", async () => {
    const { account, pool } = await newPool(api);
    const headers = { accept: "text/event-stream" };
    const controller = new AbortController();
    const response = await fetch(server.url + watchPath(account), { headers, signal: controller.signal });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const reader = (response.body as ReadableStream<Uint8Array>)
      .pipeThrough(new TextDecoderStream() as never)
      .getReader();
    const first = (await reader.read()).value as unknown as string;
    expect(first).toMatch(/^id: \S+\n\n$/);
    await api.updatePool({ account_id: account.account_token, pool_id: pool.id, size: 7 });
    const second = (await reader.read()).value as unknown as string;
    expect(second).toMatch(/^id: \S+\nevent: pool\.updated\ndata: \{.*\}\n\n$/);
    controller.abort();
    const lastEventId = /^id: (\S+)/.exec(first)?.[1] ?? "";
    const again = await fetch(`${server.url}${watchPath(account)}?from=2026-01-01T00:00:00Z`, {
      headers: { ...headers, "last-event-id": lastEventId },
    });
    const body = again.body?.getReader();
    let text = "";
    while (!text.includes("data:")) text += new TextDecoder().decode((await body?.read())?.value);
    expect(text).toContain(second);
    await body?.cancel();
  });

  test.each([
    ["gRPC", createGrpcTransport],
    ["gRPC-Web", createGrpcWebTransport],
  ] as const)("gets events over %s", async (_, createTransport) => {
    const { account, pool } = await newPool(api);
    const transport = createTransport({ baseUrl: server.url, httpVersion: "2" } as never);
    const controller = new AbortController();
    const messages = createClient(EventService, transport)
      .watchEvents({ accountId: account.account_token }, { signal: controller.signal })
      [Symbol.asyncIterator]();
    expect((await messages.next()).value).toMatchObject({ cursor: expect.stringMatching(/^.+$/) });
    await api.updatePool({ account_id: account.account_token, pool_id: pool.id, size: 7 });
    expect((await messages.next()).value?.event).toMatchObject({
      type: "pool.updated",
      resource: { case: "pool", value: { size: 7 } },
    });
    controller.abort();
    await messages.next().catch(() => {});
  });

  test("counts toward a separate limit, not toward that of requests", async () => {
    const account = await newAccount(api);
    const watchers = () => readMetric(server.opsUrl, "calltrack_event_watchers");
    await expect.poll(watchers).toBe(0);
    const streams = await Promise.all(Array.from({ length: 4 }, () => openEventStream(server.url, watchPath(account))));
    await expect(openEventStream(server.url, watchPath(account))).rejects.toThrow("OVERLOADED");
    expect(await api.getAccount({ id: account.id })).toEqual(account);
    expect(await watchers()).toBe(4);
    await Promise.all(streams.map((stream) => stream[Symbol.asyncDispose]()));
    await expect
      .poll(() =>
        openEventStream(server.url, watchPath(account))
          .then((stream) => stream[Symbol.asyncDispose]())
          .then(
            () => "open",
            () => "refused",
          ),
      )
      .toBe("open");
  });

  test("of all accounts is not available to a principal that is bound to one", async () => {
    await using own = await startTestServer("postgres", { auth: { keys: true } as never }).then((made) =>
      Object.assign(made, { [Symbol.asyncDispose]: () => made.stop() }),
    );
    const admin = createJsonClient(own.url, createBearerHeaders(await createTestAdminKey(own.database)));
    const { account_token } = await newAccount(admin);
    const { key } = await admin.createApiKey({ scopes: ["read"], account_id: account_token });
    for (const path of ["/dni_manager/events", "/dni_manager/events:watch"]) {
      const response = await fetch(own.url + path, { headers: createBearerHeaders(key) });
      expect([response.status, JSON.parse(await response.text()).error.details.at(-1).reason]).toEqual([
        403,
        "CALLER_BOUND_TO_ACCOUNT",
      ]);
    }
    const response = await fetch(`${own.url}/dni_manager/accounts/${account_token}/events`, {
      headers: createBearerHeaders(key),
    });
    expect(typesOf((await response.json()) as EventJson[])).toEqual(["account.created"]);
  });

  test.each(["revoked", "expired"] as const)("ends when its key is %s", async (what) => {
    const own = await startTestServer("postgres", { auth: { keys: true } as never, limits: { bookmarkMs: 100 } });
    const admin = createJsonClient(own.url, createBearerHeaders(await createTestAdminKey(own.database)));
    const account = await newAccount(admin);
    const { key, api_key } = await admin.createApiKey({ scopes: ["read"] });
    const stream = await openEventStream(own.url, watchPath(account), createBearerHeaders(key));
    // While the API key is valid, bookmarks show that the stream is alive.
    await expect.poll(() => stream.messages.length).toBeGreaterThan(2);
    if (what === "revoked") await admin.revokeApiKey({ api_key_id: api_key.id });
    else await sql`update api_keys set expires_at = now() where id = ${api_key.id}`.execute(own.database.kysely);
    expect(await stream.ended).toMatchObject({ status: "UNAUTHENTICATED" });
    await own.stop();
  });

  test("stays open if other requests use up the rate limit of its key", async () => {
    const callerRate = { quota: 5, windowMs: 3_600_000 };
    const own = await startTestServer("postgres", {
      ...{ auth: { keys: true } as never, limits: { bookmarkMs: 100, callerRate } },
    });
    const headers = createBearerHeaders(await createTestAdminKey(own.database));
    const stream = await openEventStream(own.url, "/dni_manager/events:watch", headers);
    const whoAmI = async () => (await fetch(`${own.url}/call_tracking/whoami`, { headers })).status;
    await expect.poll(whoAmI).toBe(429);
    const { length } = stream.messages;
    await expect.poll(() => stream.messages.length).toBeGreaterThan(length + 5);
    await stream[Symbol.asyncDispose]();
    await own.stop();
  });

  test("stays open far beyond the limits of other requests", async () => {
    const ms = { requestTimeoutMs: 300, bodyTimeoutMs: 300, sendTimeoutMs: 300, idleTimeoutMs: 300, bookmarkMs: 700 };
    const own = await startTestServer("postgres", { limits: ms });
    const account = await newAccount(createJsonClient(own.url));
    const stream = await openEventStream(own.url, watchPath(account));
    await expect.poll(() => stream.messages.length).toBeGreaterThanOrEqual(5);
    expect(stream.messages.every(({ event }) => event === null)).toBe(true);
    await createJsonClient(own.url).updateAccount({ id: account.id, is_active: true });
    await expect.poll(() => typesOf(stream.events)).toEqual(["account.updated"]);
    await stream[Symbol.asyncDispose]();
    await own.stop();
  });

  test("ends as UNAVAILABLE when the server stops, and without delaying it", async () => {
    const own = await startTestServer("postgres");
    const account = await newAccount(createJsonClient(own.url));
    const stream = await openEventStream(own.url, watchPath(account));
    await own.stop();
    expect(await stream.ended).toMatchObject({
      status: "UNAVAILABLE",
      message: "the server is stopping: watch again from the last cursor that you received",
    });
  });

  test("ends if the log cannot be read", async () => {
    const own = await startTestServer("postgres");
    const account = await newAccount(createJsonClient(own.url));
    const stream = await openEventStream(own.url, watchPath(account));
    await sql`alter sequence event_positions rename to moved`.execute(own.database.kysely);
    expect(await stream.ended).toMatchObject({ status: "INTERNAL" });
    await own.stop();
  });
});
