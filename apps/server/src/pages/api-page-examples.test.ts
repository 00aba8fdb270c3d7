import { readdirSync } from "node:fs";
import type { OpenApiOperation } from "@calltrack/transcoding/openapi";
import { sql } from "kysely";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { readConfig } from "../config/config.js";
import { collectComplaints, describeInBrowser } from "../testing/browser.js";
import { createTestAdminKey, createTestApiKey } from "../testing/credentials.js";
import { readMetric } from "../testing/read-metric.js";
import { SERVER_ENGINES } from "../testing/test-database.js";
import { startTestServer, type TestServer } from "../testing/test-server.js";
import { createApiDocument } from "./api-document.js";

interface ListedOperation extends OpenApiOperation {
  readonly method: string;
  readonly path: string;
}

/** All operations, in the order of the document. */
const OPERATIONS: readonly ListedOperation[] = Object.entries(createApiDocument(readConfig({})).paths).flatMap(
  ([path, item]) =>
    Object.entries(item as Record<string, OpenApiOperation>).map(([method, operation]) => ({
      ...operation,
      method,
      path,
    })),
);

/** The file name of the script that sends the requests of the API page. */
const SENDER = readdirSync(new URL("../../dist/bundle/api-page/assets/", import.meta.url)).find((name) =>
  /^send-example-\w+\.js$/.test(name),
);

/** The response to the request of an example. */
interface Outcome {
  readonly id: string;
  readonly status: number;
  readonly text: string;
}

/** A browser tab that sends examples as the page does. */
interface ExampleTab {
  readonly page: Page;
  readonly complaints: readonly string[];
  send(operation: ListedOperation, key?: string): Promise<Outcome>;
}

const named = (...ids: string[]) => OPERATIONS.filter(({ operationId }) => ids.includes(operationId));

/** Runs the passes that assign numbers to pools, before the examples that need a call tracker. */
const passesBefore = (server: TestServer, { operationId }: ListedOperation) =>
  operationId === "listCallTrackers" ? server.runDue() : undefined;

const isFailure = ({ status, text }: Outcome) => status >= 300 || /"refused":\[\{/.test(text);

describeInBrowser("the examples of the API page", (browser) => {
  /** Opens a tab. Every page of the server shares the tab's storage; the start page loads fastest. */
  async function openTab({ url }: TestServer): Promise<ExampleTab> {
    const context = await browser().newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const complaints = await collectComplaints(page, url);
    await page.goto(url);
    return {
      page,
      complaints,
      async send({ operationId, method, path, parameters, requestBody }, key) {
        const given = parameters.filter((each) => "name" in each);
        const target = given.reduce((filled, { name, example }) => filled.replace(`{${name}}`, String(example)), path);
        const [media] = Object.values(requestBody?.content ?? {});
        const init = {
          method: method.toUpperCase(),
          ...(media && { body: JSON.stringify(media.example) }),
          headers: { ...(media && { "content-type": "application/json" }), ...(key && { authorization: key }) },
        };
        const answer = await page.evaluate(`(async () => {
          globalThis.send ??= import("./docs/assets/${SENDER}").then(async ({ createExampleSender }) =>
            createExampleSender(await (await fetch("openapi.json")).json()));
          const answer = await (await globalThis.send)(${JSON.stringify(`${url}/api${target}`)}, ${JSON.stringify(init)});
          return { status: answer.status, text: await answer.text() };
        })()`);
        return { id: operationId, ...(answer as Omit<Outcome, "id">) };
      },
    };
  }

  async function sendAll(server: TestServer, tab: ExampleTab, { key = "", reloads = false } = {}) {
    const outcomes: Outcome[] = [];
    for (const operation of OPERATIONS) {
      await passesBefore(server, operation);
      outcomes.push(await tab.send(operation, key));
      // Reads store nothing that a reload could lose.
      if (reloads && operation.method !== "get") await tab.page.reload();
    }
    return outcomes;
  }

  /** Returns counts of missing phone numbers after a pass: the metric of the shipped alert, and then the count of each example pool. */
  async function readMissing(server: TestServer, headers = {}): Promise<readonly unknown[]> {
    await server.runDue();
    const summaries = `${server.url}/api/dni_manager/accounts/api-page-example/pool_summaries`;
    const pools = (await (await fetch(summaries, { headers })).json()) as {
      missing_numbers: number;
      warnings: unknown;
    }[];
    return [
      await readMetric(server.opsUrl, "calltrack_missing_numbers"),
      ...pools.map(({ missing_numbers }) => missing_numbers),
    ];
  }

  async function call<T>({ url }: TestServer, method: string, path: string, body?: object): Promise<T> {
    const headers = { "content-type": "application/json" };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(`${url}/api${path}`, init);
    expect(response.status, path).toBeLessThan(300);
    return (response.status === 204 ? undefined : await response.json()) as T;
  }

  const start = async (config: Parameters<typeof startTestServer>[1] = {}) => {
    const server = await startTestServer("postgres", { basePath: "/api", hasVirtualClock: true, ...config });
    onTestFinished(() => server.stop());
    return server;
  };

  describe.each(SERVER_ENGINES)("on %s", (engine) => {
    let server: TestServer;

    beforeAll(async () => {
      server = await startTestServer(engine, { basePath: "/api", hasVirtualClock: true });
    });

    afterAll(() => server?.stop());

    /** Creates an account with a filled pool, and a disabled account. */
    async function createUserData() {
      await call(server, "POST", "/call_tracking/accounts", { account_token: "acme" });
      const { id } = await call<{ id: number }>(server, "POST", "/call_tracking/accounts", { account_token: "globex" });
      await call(server, "PUT", `/call_tracking/accounts/${id}`, { is_active: false });
      await call(server, "POST", "/dni_manager/accounts/acme/phone_numbers", { phone_number: "+12223334444" });
      await call(server, "POST", "/dni_manager/tracking_numbers:add", {
        tracking_numbers: [{ phone_number: "+12225550142", area_code: "222" }],
      });
      const flags = { is_dni: true, is_prompted: false, is_recorded: false, property_token: "shop" };
      const pool = { original_number: "+12223334444", area_code: "222", size: 1, pool_type: "manual", ...flags };
      await call(server, "POST", "/dni_manager/accounts/acme/pools", pool);
      await server.runDue();
      await call(server, "POST", "/dni_manager/calls", { call_id: "1", tracking_number: "+12225550142" });
      await call(server, "POST", "/call_tracking/api_keys", { scopes: ["read"], description: "the user's" });
    }

    /** All rows that do not belong to the examples. */
    async function readUserData() {
      const [pool] = await call<{ id: string }[]>(server, "GET", "/dni_manager/accounts/acme/pools");
      const lists = [
        ...["accounts", "api_keys"].map((path) => `/call_tracking/${path}`),
        ...["phone_numbers", "pools", "calls", `pools/${pool?.id}/call_trackers`].map(
          (path) => `/dni_manager/accounts/acme/${path}`,
        ),
        "/dni_manager/tracking_numbers",
      ];
      const rows = (await Promise.all(lists.map((path) => call(server, "GET", path)))).flat();
      return rows.filter((row) => !/api-page-example|\+1000555/.test(JSON.stringify(row)));
    }

    test("succeed twice, after reloads of the tab and after their idempotency keys have expired, change no other data, and leave no number missing", async () => {
      await createUserData();
      const before = await readUserData();
      const tab = await openTab(server);
      for (const run of ["first", "second", "after 24 hours"]) {
        if (run === "after 24 hours") await sql`delete from idempotency_keys`.execute(server.database.kysely);
        const failures = (await sendAll(server, tab, { reloads: run === "first" })).filter(isFailure);
        // Ignores `NUMBER_RETIRED`, because a number that an earlier run retired cannot be added again.
        expect(
          failures.filter(({ text }) => run === "first" || !text.includes("NUMBER_RETIRED")),
          run,
        ).toEqual([]);
        expect(await readMissing(server), run).toEqual([0, 0, 0]);
      }
      expect(tab.complaints).toEqual([]);
      expect(before.length).toBeGreaterThan(7);
      expect(await readUserData()).toEqual(before);
    });
  });

  test("start over on a new database, and leave its account with the same id unchanged", async () => {
    const [former, server] = [await start(), await start()];
    const tab = await openTab(former);
    await sendAll(former, tab);
    const stranger = await call<{ id: number }>(server, "POST", "/call_tracking/accounts", {
      account_token: "stranger",
    });
    await call(server, "PUT", `/call_tracking/accounts/${stranger.id}`, { is_active: false });
    await tab.page.route("**", async (route) => {
      const request = route.request();
      const headers = { ...request.headers(), host: new URL(former.url).host };
      await route.fulfill({
        response: await route.fetch({ url: request.url().replace(former.url, server.url), headers }),
      });
    });
    const [update] = named("updateAccount");
    expect(await tab.send(update as ListedOperation)).toMatchObject({ status: 404 });
    await tab.page.reload();
    expect((await sendAll(server, tab)).filter(isFailure)).toEqual([]);
    expect(await readMissing(server)).toEqual([0, 0, 0]);
    expect(await call(server, "GET", "/call_tracking/accounts/stranger")).toMatchObject({ is_active: false });
  });

  test("work in two tabs at the same time", async () => {
    const server = await start();
    const tabs = [await openTab(server), await openTab(server)];
    for (const operation of OPERATIONS) {
      await passesBefore(server, operation);
      const outcomes = await Promise.all(tabs.map(({ send }) => send(operation)));
      // Both tabs send the same example, but only one of them can delete the resource.
      const failures = outcomes.filter(isFailure);
      expect.soft(operation.method === "delete" ? failures.slice(1) : failures).toEqual([]);
    }
    expect(await readMissing(server)).toEqual([0, 0, 0]);
  });

  test.each([[["createPool", "updatePool"]], [["batchCreatePools"]]])(
    "leave no number missing if %j are sent without the example that adds numbers",
    async (ids) => {
      const server = await start();
      const tab = await openTab(server);
      for (const operation of named("createAccount", "createPhoneNumber")) {
        expect(await tab.send(operation)).not.toSatisfy(isFailure);
      }
      for (const operation of named(...ids)) {
        expect(await tab.send(operation)).not.toSatisfy(isFailure);
        expect(await readMissing(server)).toEqual([0, 0]);
      }
    },
  );

  test.each([
    ["createWebhookEndpoint", "/dni_manager/accounts/api-page-example/webhook_endpoints"],
    ["createWebhookEndpointWithoutAccountId", "/dni_manager/webhook_endpoints"],
  ])("create one webhook endpoint if %s is sent twice", async (id, list) => {
    const server = await start();
    const tab = await openTab(server);
    for (const operation of named("createAccount", id)) expect(await tab.send(operation)).not.toSatisfy(isFailure);
    const [again] = named(id);
    const { text } = await tab.send(again as ListedOperation);
    expect([JSON.parse(text).webhook_endpoint]).toEqual(await call(server, "GET", list));
  });

  test("do not change a phone number that contains the id of an example's delivery", async () => {
    const server = await start();
    const tab = await openTab(server);
    for (const operation of named("createAccount", "testWebhookEndpoint")) {
      expect(await tab.send(operation)).not.toSatisfy(isFailure);
    }
    const [create] = named("createPhoneNumber");
    const content = { "application/json": { example: { phone_number: "+12224711000" } } };
    const { text } = await tab.send({ ...create, requestBody: { content } } as unknown as ListedOperation);
    expect(JSON.parse(text)).toMatchObject({ phone_number: "+12224711000" });
  });

  test("show existing resources to a read-only key, and reject only its changes", async () => {
    const server = await start({ auth: { keys: true, issuer: undefined } });
    const admin = `Bearer ${await createTestAdminKey(server.database)}`;
    await sendAll(server, await openTab(server), { key: admin });
    const reader = `Bearer ${(await createTestApiKey(server.database, "read")).key}`;
    const outcomes = await sendAll(server, await openTab(server), { key: reader });
    const refused = outcomes.filter(isFailure);
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403));
    expect(refused.map(({ id }) => id)).toContain("updatePool");
    expect(outcomes.filter((each) => !isFailure(each)).map(({ id }) => id)).toEqual(
      expect.arrayContaining(["createAccount", "createPool", "getPhoneNumber", "getPool", "getCallTracker", "getCall"]),
    );
    expect(await readMissing(server, { authorization: admin })).toEqual([0, 0, 0]);
  });
});
