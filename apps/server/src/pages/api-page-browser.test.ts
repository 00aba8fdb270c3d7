import { readdirSync } from "node:fs";
import type { OpenApiOperation } from "@calltrack/transcoding/openapi";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { readConfig } from "../config/config.js";
import { collectComplaints, describeInBrowser } from "../testing/browser.js";
import { makeAdminKey } from "../testing/credentials.js";
import { startTestServer, type TestServer } from "../testing/test-server.js";
import { createApiDocument } from "./api-document.js";

/** A page, with its console errors, blocked sources and requests to other origins. */
interface WatchedPage extends AsyncDisposable {
  readonly page: Page;
  readonly complaints: readonly string[];
}

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

const VIEWS = [400, 1280].flatMap((width) => (["light", "dark"] as const).map((scheme) => [width, scheme] as const));

/** The script that sends the page's requests. */
const SENDER = readdirSync(new URL("../../dist/bundle/api-page/assets/", import.meta.url)).find((name) =>
  /^send-example-\w+\.js$/.test(name),
);

describeInBrowser("the API page in a browser", (browser) => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer("postgres", { basePath: "/api", hasVirtualClock: true });
  });

  afterAll(() => server?.stop());

  async function openPage(
    place = "",
    width = 1280,
    colorScheme: "light" | "dark" = "light",
    { url } = server,
  ): Promise<WatchedPage> {
    const context = await browser().newContext({ viewport: { width, height: 900 }, colorScheme });
    const page = await context.newPage();
    const complaints = await collectComplaints(page, url);
    await page.goto(`${url}/docs${place === "" ? "" : `#${place}`}`);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
  }

  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const headers = { "content-type": "application/json" };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(`${server.url}/api${path}`, init);
    expect(response.status, path).toBeLessThan(300);
    return (response.status === 204 ? undefined : await response.json()) as T;
  }

  /** Creates an account with a pool that lacks numbers, and one that is disabled. */
  async function createUserData() {
    await call("POST", "/call_tracking/accounts", { account_token: "acme" });
    const { id } = await call<{ id: number }>("POST", "/call_tracking/accounts", { account_token: "globex" });
    await call("PUT", `/call_tracking/accounts/${id}`, { is_active: false });
    await call("POST", "/dni_manager/accounts/acme/phone_numbers", { phone_number: "+12223334444" });
    await call("POST", "/dni_manager/tracking_numbers:add", {
      tracking_numbers: [{ phone_number: "+12225550142", area_code: "222" }],
    });
    const flags = { is_dni: true, is_prompted: false, is_recorded: false, property_token: "shop" };
    const pool = { original_number: "+12223334444", area_code: "222", size: 9, pool_type: "manual", ...flags };
    await call("POST", "/dni_manager/accounts/acme/pools", pool);
    await server.runDue();
    await call("POST", "/dni_manager/calls", { call_id: "1", tracking_number: "+12225550142" });
    await call("POST", "/call_tracking/api_keys", { scopes: ["read"], description: "the user's" });
  }

  /** Everything that does not belong to the examples. */
  async function readUserData() {
    const [pool] = await call<{ id: string }[]>("GET", "/dni_manager/accounts/acme/pools");
    const lists = [
      ...["accounts", "api_keys"].map((path) => `/call_tracking/${path}`),
      ...["phone_numbers", "pools", "calls", `pools/${pool?.id}/call_trackers`].map(
        (path) => `/dni_manager/accounts/acme/${path}`,
      ),
      "/dni_manager/tracking_numbers",
    ];
    const rows = (await Promise.all(lists.map((path) => call("GET", path)))).flat();
    return rows.filter((row) => !/api-page-example|\+1000555/.test(JSON.stringify(row)));
  }

  /** The address and the body of an operation's example. */
  function exampleOf({ path, parameters, requestBody }: ListedOperation) {
    const given = parameters.filter((each) => "name" in each);
    const target = given.reduce((filled, { name, example }) => filled.replace(`{${name}}`, String(example)), path);
    const [media] = Object.values(requestBody?.content ?? {});
    return { url: `${server.url}/api${target}`, body: media && JSON.stringify(media.example) };
  }

  test("sends every example twice without a failure and without a change to other data", async () => {
    await createUserData();
    const before = await readUserData();
    await using watched = await openPage();
    const { page, complaints } = watched;
    await page.evaluate(`import("./docs/assets/${SENDER}").then(async ({ createExampleSender }) => {
      globalThis.send = createExampleSender(await (await fetch("openapi.json")).json());
    })`);
    const outcomes: Record<string, unknown>[] = [];
    for (const operation of [...OPERATIONS, ...OPERATIONS]) {
      const { url, body } = exampleOf(operation);
      // The pool gets its numbers in its pass.
      if (operation.operationId === "listCallTrackers") await server.runDue();
      const init = {
        method: operation.method.toUpperCase(),
        body,
        headers: body ? { "content-type": "application/json" } : {},
      };
      const outcome = await page.evaluate(
        `send(${JSON.stringify(url)}, ${JSON.stringify(init)}).then(async (answer) => ({ ok: answer.ok, text: await answer.text() }))`,
      );
      outcomes.push({ id: operation.operationId, ...(outcome as { ok: boolean; text: string }) });
    }
    expect(outcomes.filter(({ ok, text }) => ok !== true || /"refused":\[\{/.test(String(text)))).toEqual([]);
    expect(complaints).toEqual([]);
    expect(before.length).toBeGreaterThan(7);
    expect(await readUserData()).toEqual(before);
  });

  test("sends requests from the form, with the key that the reader enters", async () => {
    const guarded = await startTestServer("postgres", { auth: { keys: true, issuer: undefined } });
    onTestFinished(() => guarded.stop());
    const key = await makeAdminKey(guarded.database);
    await using watched = await openPage("tag/accountservice/POST/call_tracking/accounts", 1280, "light", guarded);
    const { page, complaints } = watched;
    await page.getByRole("button", { name: "Test Request (post /call_tracking/accounts)" }).click();
    const statuses: number[] = [];
    page.on("response", (response) => response.request().method() === "POST" && statuses.push(response.status()));
    for (const status of [401, 201, 201]) {
      if (status === 201) await page.getByRole("dialog").getByPlaceholder("Token").fill(key);
      await page.locator("[data-addressbar-action=send]:visible").click();
      await expect.poll(() => statuses.at(-1)).toBe(status);
    }
    expect(complaints.filter((each) => !each.includes("401"))).toEqual([]);
  });

  test("finds an operation by its name", async () => {
    await using watched = await openPage();
    const { page, complaints } = watched;
    await page.getByRole("button", { name: "Open Search" }).click();
    await page.keyboard.type("retire tracking");
    await page.getByRole("option", { name: /Retire tracking number/ }).click();
    await expect.poll(() => page.url()).toContain("/dni_manager/tracking_numbers/{phone_number}:retire");
    expect(complaints).toEqual([]);
  });

  test.each(VIEWS)("shows the introduction and the operations, %d pixels wide and %s", async (width, scheme) => {
    await using watched = await openPage("", width, scheme);
    const { page, complaints } = watched;
    await page.getByText("api-page-example").first().waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    const background = await page.evaluate("getComputedStyle(document.body).backgroundColor");
    expect(background).toBe(scheme === "dark" ? "rgb(15, 15, 15)" : "rgb(255, 255, 255)");
    expect(complaints).toEqual([]);
  });
});
