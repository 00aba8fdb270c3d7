import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { sql } from "kysely";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import type { AccountJson, ApiClient } from "../testing/api-client.js";
import { describeOnPostgres } from "../testing/behavior.js";
import { describeInBrowser } from "../testing/browser.js";
import { createBearerHeaders, createTestAdminKey } from "../testing/credentials.js";
import { createJsonClient } from "../testing/json-client.js";
import { readMetric } from "../testing/read-metric.js";
import {
  createManualPoolFields,
  newAccount,
  newAccountWithNumber,
  uniqueNumber,
  uniqueToken,
} from "../testing/request-fields.js";
import { createTestDatabase } from "../testing/test-database.js";
import { serveDatabase, startTestServer } from "../testing/test-server.js";
import { newTrackedPool } from "../testing/tracked-pool.js";

/** A script that removes SharedWorker, which Chrome on Android lacks. */
const WITHOUT_SHARED_WORKER = "delete window.SharedWorker";

/** Time in which a page that polls for changes would reload its data. */
const SHORT_MS = 4000;

const AUTH = { keys: true, issuer: undefined };

describeInBrowser("the live console in a browser", (browser) => {
  describeOnPostgres(
    "of a server",
    (service) => {
      let admin: string;
      let api: ApiClient;

      beforeAll(async () => {
        admin = await createTestAdminKey(service.server.database);
        api = createJsonClient(service.server.url, createBearerHeaders(admin));
      });

      const open = (script = "") => openContext(browser(), admin, script);
      const show = (context: BrowserContext, place: string) => openPage(context, service.server.url, place);
      const watchers = () => readMetric(service.server.opsUrl, "calltrack_event_watchers");

      test("follows one stream for all tabs that show an account, and ends it when the user signs out", async () => {
        await using context = await open();
        const [one, other] = [await newAccount(api), await newAccount(api)];
        const first = await show(context, poolsOf(one));
        await expect.poll(watchers).toBe(1);
        const second = await show(context, `accounts/${one.account_token}/numbers`);
        await addNumber(api, one, second);
        expect(await watchers()).toBe(1);
        const third = await show(context, poolsOf(other));
        await expect.poll(watchers).toBe(2);
        await addPool(api, other, third);
        await addPool(api, one, first);
        await first.close();
        await third.getByRole("link", { name: "Accounts" }).first().click();
        await third.getByRole("link", { name: one.account_token }).waitFor();
        const { account_token } = await newAccount(api);
        await third.getByRole("link", { name: account_token }).waitFor();
        await third.getByRole("button", { name: "Sign out" }).click();
        await expect.poll(watchers).toBe(1);
        await addNumber(api, one, second);
        await second.close();
        await expect.poll(watchers).toBe(0);
      });

      test("shows new pools, calls and the state of a phone system on open pages", async () => {
        const tracked = await newTrackedPool({ api, server: service.server }, { size: 1, numbers: 1 });
        await using context = await open();
        const calls = await show(context, `accounts/${tracked.account.account_token}/calls`);
        const timeline = await show(context, `${poolsOf(tracked.account)}/${tracked.pool.id}/timeline`);
        const systems = await show(context, "phone-systems");
        await expect.poll(watchers).toBe(2);
        const [{ tracking_number } = {}] = tracked.trackers;
        const started_at = new Date().toISOString();
        await api.createCall({ call_id: uniqueToken("call"), tracking_number, started_at, ended_at: started_at });
        await calls.getByRole("row").nth(1).waitFor();
        await timeline.getByText("1 call in this period").waitFor();
        const name = uniqueToken("system");
        await api.createPhoneSystem({ name, kind: "sip", fallback_number: uniqueNumber() });
        await systems.getByRole("button", { name: `Disable ${name}` }).waitFor();
      });

      test("shows new webhook endpoints, and changes to one, on open pages for all accounts", async () => {
        await using context = await open();
        const list = await show(context, "webhook-endpoints");
        const editor = await show(context, "webhook-endpoints");
        await expect.poll(watchers).toBe(1);
        const url = `https://example.com/${uniqueToken("hook")}`;
        await editor.getByLabel("URL", { exact: true }).fill(url);
        await editor.getByRole("button", { name: "Create webhook endpoint" }).click();
        const link = list.getByRole("link", { name: url });
        await link.click();
        await list.getByRole("heading", { name: "Deliveries" }).waitFor();
        await editor.getByRole("link", { name: "Send it a test event" }).click();
        await editor.getByLabel("Description").fill("for the shop");
        await editor.getByRole("button", { name: "Save" }).click();
        await list.getByText("sends events to this URL · for the shop").waitFor();
      });

      test("keeps unfinished input, the focus and the scroll position", async () => {
        const { account, number } = await newAccountWithNumber(api);
        await using context = await open();
        const page = await show(context, `accounts/${account.account_token}/numbers`);
        await expect.poll(watchers).toBe(1);
        await page.setViewportSize({ width: 800, height: 300 });
        await page.getByLabel("Description").fill("half ty");
        const readPlace = async () =>
          (await page.evaluate("[scrollY, document.activeElement.name]")) as [number, string];
        const [scrolled] = await readPlace();
        expect(scrolled).toBeGreaterThan(0);
        await addNumber(api, account, page);
        expect(await page.getByLabel("Description").inputValue()).toBe("half ty");
        const [stillScrolled, focused] = await readPlace();
        expect({ isScrolled: stillScrolled >= scrolled, focused }).toEqual({
          isScrolled: true,
          focused: "description",
        });
        const create = await show(context, `${poolsOf(account)}/new`);
        await create.getByLabel("Original number").selectOption(number);
        await create.getByLabel("Size").fill("3");
        await api.createPhoneNumber({ account_id: account.account_token, phone_number: uniqueNumber() });
        await expect.poll(() => create.getByLabel("Original number").locator("option").count()).toBe(3);
        expect(await create.getByLabel("Original number").inputValue()).toBe(number);
        expect(await create.getByLabel("Size").inputValue()).toBe("3");
      });

      test("keeps a dialog open", async () => {
        const areaCode = "98766";
        const add = async () => {
          const phone_number = uniqueNumber();
          await api.addTrackingNumbers({ tracking_numbers: [{ phone_number, area_code: areaCode }] });
          return phone_number;
        };
        const number = await add();
        await using context = await open();
        const page = await show(context, "inventory");
        await expect.poll(watchers).toBe(1);
        await page.getByRole("button", { name: areaCode }).click();
        await page.getByRole("button", { name: `Retire ${number}` }).click();
        await page.getByLabel("Immediately").check();
        const added = await add();
        await page.getByLabel(`Retire ${added}`).waitFor();
        expect(await page.getByLabel("Immediately").isChecked()).toBe(true);
        await page.getByRole("button", { name: "Retire number" }).click();
        await page.getByRole("region", { name: "Numbers", exact: true }).getByText("retired").waitFor();
      });

      test("shows a pool's current settings beside the user's input, without a conflict", async () => {
        const { account, pool } = await newTrackedPool({ api, server: service.server }, { size: 2, numbers: 0 });
        const name = { account_id: account.account_token, pool_id: pool.id };
        await using context = await open();
        const page = await show(context, `${poolsOf(account)}/${pool.id}/resize`);
        await expect.poll(watchers).toBe(1);
        await page.getByLabel("Size", { exact: true }).fill("7");
        await api.updatePool({ ...name, size: 5, utilization: 0.9 });
        await page.getByText("now 5").waitFor();
        expect(await page.getByLabel("Size", { exact: true }).inputValue()).toBe("7");
        await page.getByRole("button", { name: "Apply update" }).click();
        await page.getByText("The next pass adjusts the call trackers.").waitFor();
        expect(await api.getPool(name)).toMatchObject({ size: 7, utilization: 0.9 });
      });

      test("does not call someone else's later change the user's own", async () => {
        const { account, pool } = await newTrackedPool({ api, server: service.server }, { size: 2, numbers: 0 });
        await using context = await open();
        const page = await show(context, `${poolsOf(account)}/${pool.id}/resize`);
        await expect.poll(watchers).toBe(1);
        await page.getByLabel("Size", { exact: true }).fill("7");
        await page.getByRole("button", { name: "Apply update" }).click();
        await page.getByText("size 7").waitFor();
        await api.updatePool({ account_id: account.account_token, pool_id: pool.id, size: 9 });
        await page.getByText("now 9").waitFor();
        expect(await page.getByText("The next pass adjusts the call trackers.").count()).toBe(0);
      });

      test("keeps a date that is incomplete when calls change the report", async () => {
        const { account, trackers } = await newTrackedPool({ api, server: service.server }, { size: 1, numbers: 1 });
        await using context = await open();
        const page = await show(context, `accounts/${account.account_token}/report?from=2025-10-31&to=2025-10-31`);
        await expect.poll(watchers).toBe(1);
        const from = page.getByLabel("From (UTC day)");
        // The month is typed first, and September has no day 31.
        await from.pressSequentially("9");
        await expect.poll(() => from.inputValue()).toBe("");
        const reloaded = page.waitForResponse("**/GetClock");
        await api.createCall({ call_id: uniqueToken("call"), tracking_number: trackers[0]?.tracking_number });
        await reloaded;
        await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
        await from.pressSequentially("15");
        expect(await from.inputValue()).toBe("2025-09-15");
        expect(page.url()).toContain("from=2025-09-15");
        // A date that is still incomplete when the user leaves the field is replaced by the date that applies.
        await from.press("Backspace");
        await expect.poll(() => from.inputValue()).toBe("");
        await page.getByLabel("Group by").focus();
        await expect.poll(() => from.inputValue()).toBe("2025-09-15");
      });

      test("loads nothing while a page is hidden, and loads missed changes when it is shown", async () => {
        for (const script of ["", WITHOUT_SHARED_WORKER]) {
          const account = await newAccount(api);
          await using context = await open(script);
          const page = await show(context, poolsOf(account));
          await expect.poll(watchers).toBe(1);
          await setVisibility(page, "hidden");
          // Without a shared worker, a hidden tab has no stream.
          await expect.poll(watchers).toBe(script === "" ? 1 : 0);
          const loads: string[] = [];
          page.on("request", (request) => loads.push(request.url()));
          await createPool(api, account);
          await page.waitForTimeout(SHORT_MS);
          expect(loads).toEqual([]);
          await setVisibility(page, "visible");
          await page.getByRole("row").nth(1).waitFor();
          await context.close();
          await expect.poll(watchers).toBe(0);
        }
      });

      test("loads a missed change after an outage in which the user pressed Try again", async () => {
        const account = await newAccount(api);
        await using context = await open();
        const page = await show(context, `accounts/${account.account_token}/numbers`);
        await expect.poll(watchers).toBe(1);
        let failures = 0;
        await page.route("**/ListPhoneNumbers", (route) => {
          failures++;
          return route.abort();
        });
        await api.createPhoneNumber({ account_id: account.account_token, phone_number: uniqueNumber() });
        await page.getByText("could not be refreshed").waitFor();
        const before = failures;
        await page.getByRole("button", { name: "Try again" }).click();
        await expect.poll(() => failures).toBeGreaterThan(before);
        await page.unroute("**/ListPhoneNumbers");
        await page.getByRole("row").nth(1).waitFor();
        expect(await page.getByText("could not be refreshed").count()).toBe(0);
      });

      test("starts another shared worker if the worker ends", async () => {
        const account = await newAccount(api);
        await using context = await open();
        const page = await context.newPage();
        await page.clock.install();
        await page.goto(`${service.server.url}/console/#/accounts/${account.account_token}/numbers`);
        await expect.poll(watchers).toBe(1);
        await addNumber(api, account, page);
        const debug = await browser().newBrowserCDPSession();
        const { targetInfos } = await debug.send("Target.getTargets");
        for (const { type, url, targetId } of targetInfos) {
          const isOwn = type === "shared_worker" && url.startsWith(service.server.url);
          if (isOwn) await debug.send("Target.closeTarget", { targetId });
        }
        await expect.poll(watchers).toBe(0);
        await page.clock.fastForward(120_000);
        await expect.poll(watchers).toBe(1);
        await addNumber(api, account, page);
      });

      test("follows the stream in the visible tab if there is no SharedWorker", async () => {
        const account = await newAccount(api);
        await using context = await open(WITHOUT_SHARED_WORKER);
        const page = await show(context, `accounts/${account.account_token}/numbers`);
        await expect.poll(watchers).toBe(1);
        await addNumber(api, account, page);
        await page.getByRole("button", { name: "Sign out" }).click();
        await expect.poll(watchers).toBe(0);
      });

      test.for([
        ["cannot be reached", undefined, 1],
        ["is at the limit of streams", { status: 503, json: { code: "unavailable" } }, 1],
        ["is refused", { status: 403, json: { code: "permission_denied" } }, 0],
      ] as const)("refreshes as before where the stream %s", async ([, answer, watchersLater]) => {
        const account = await newAccount(api);
        await using context = await open(WITHOUT_SHARED_WORKER);
        let isFailing = true;
        let requests = 0;
        await context.route("**/WatchEvents", (route) => {
          requests++;
          if (!isFailing) return route.continue();
          return answer === undefined ? route.abort() : route.fulfill(answer);
        });
        const page = await show(context, poolsOf(account));
        await addPool(api, account, page);
        isFailing = false;
        if (watchersLater === 1) await expect.poll(watchers).toBe(1);
        else expect(requests).toBe(1);
        await addPool(api, account, page);
        expect(await watchers()).toBe(watchersLater);
      });

      test("follows only its own account with a credential that is bound to one", async () => {
        const account = await newAccount(api);
        const { key } = await api.createApiKey({ scopes: ["read"], account_id: account.account_token });
        await using context = await openContext(browser(), key, WITHOUT_SHARED_WORKER);
        const statuses: number[] = [];
        context.on("response", (response) => {
          if (response.url().endsWith("/WatchEvents")) statuses.push(response.status());
        });
        const page = await show(context, "");
        await addPool(api, account, page);
        expect(statuses).toEqual([200]);
      });

      test("asks for another key when the key of a live page is revoked", async () => {
        const account = await newAccount(api);
        const { key, api_key } = await api.createApiKey({ scopes: ["read"] });
        await using context = await openContext(browser(), key);
        const page = await show(context, `accounts/${account.account_token}/numbers`);
        await expect.poll(watchers).toBe(1);
        await api.revokeApiKey({ api_key_id: (api_key as { id: string }).id });
        const showsForm = async () => {
          // Creates a number in every attempt, because the server accepts a revoked key for a few more seconds.
          await api.createPhoneNumber({ account_id: account.account_token, phone_number: uniqueNumber() });
          return page.getByLabel("API key").isVisible();
        };
        await expect.poll(showsForm, { interval: 500 }).toBe(true);
        await expect.poll(watchers).toBe(0);
      });
    },
    { auth: AUTH },
  );

  test("shows the calls of a day that begins while a report is open", async () => {
    const server = await startTestServer("postgres", { auth: AUTH, hasVirtualClock: true });
    onTestFinished(server.stop);
    const admin = await createTestAdminKey(server.database);
    const api = createJsonClient(server.url, createBearerHeaders(admin));
    const { account, trackers } = await newTrackedPool({ api, server }, { size: 1, numbers: 1 });
    await using context = await openContext(browser(), admin);
    const page = await openPage(context, server.url, `accounts/${account.account_token}/report`);
    await page.getByText("No calls or visits in this period").waitFor();
    await expect.poll(() => readMetric(server.opsUrl, "calltrack_event_watchers")).toBe(1);
    const { now } = await api.advanceClock({ by: "86400s" });
    const call = { call_id: "tomorrow", tracking_number: trackers[0]?.tracking_number, started_at: now, ended_at: now };
    await api.createCall(call);
    await page.getByText("1 call", { exact: true }).waitFor();
    expect(await page.getByLabel("To (UTC day)").inputValue()).toBe(String(now).slice(0, 10));
  });

  test("continues after a server restart, and starts over if its cursor is then unknown", async () => {
    const location = await createTestDatabase("postgres");
    let server = await serveDatabase(location, { auth: AUTH });
    onTestFinished(() => server.stop());
    const admin = await createTestAdminKey(server.database);
    const direct = () => createJsonClient(server.url, createBearerHeaders(admin));
    const account = await newAccount(direct());
    await using gate = await openGate(() => server.port);
    await using context = await openContext(browser(), admin);
    const page = await openPage(context, gate.url, `accounts/${account.account_token}/numbers`);
    await expect.poll(() => readMetric(server.opsUrl, "calltrack_event_watchers")).toBe(1);
    gate.close();
    await server.stop();
    server = await serveDatabase(location, { auth: AUTH });
    await direct().createPhoneNumber({ account_id: account.account_token, phone_number: uniqueNumber() });
    gate.open();
    await page.getByRole("row").nth(1).waitFor();
    gate.close();
    await sql`update settings set value = uuid_send(gen_random_uuid()) where name = 'event_log_id'`.execute(
      server.database.kysely,
    );
    await direct().createPhoneNumber({ account_id: account.account_token, phone_number: uniqueNumber() });
    gate.open();
    await page.getByRole("row").nth(2).waitFor();
    await addNumber(direct(), account, page);
  });
});

const poolsOf = ({ account_token }: AccountJson) => `accounts/${account_token}/pools`;

/** Opens a browser context. Its tabs are signed in with `key` until the user signs out, and run `script` before the scripts of the page. */
async function openContext(browser: Browser, key: string, script = ""): Promise<BrowserContext> {
  const context = await browser.newContext();
  const signIn = `if (location.protocol === "http:" && !sessionStorage.length) sessionStorage.setItem("calltrack-credential", ${JSON.stringify(key)});`;
  await context.addInitScript({ content: signIn + script });
  return context;
}

async function openPage(context: BrowserContext, url: string, place: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${url}/console/#/${place}`);
  await page.getByRole("heading").first().waitFor();
  await page.waitForSelector(".placeholder", { state: "detached" });
  return page;
}

/** Creates a pool for a new number of an account. */
async function createPool(api: ApiClient, account: AccountJson): Promise<void> {
  const { phone_number } = await api.createPhoneNumber({
    account_id: account.account_token,
    phone_number: uniqueNumber(),
  });
  await api.createPool(createManualPoolFields(account, phone_number));
}

/** Adds a pool to an account, and waits until a page shows it. */
async function addPool(api: ApiClient, account: AccountJson, page: Page): Promise<void> {
  const pools = page.locator("tbody tr");
  const count = await pools.count();
  await createPool(api, account);
  await expect.poll(() => pools.count()).toBe(count + 1);
}

/** Adds a phone number to an account, and waits until the account's page shows it. The page reloads its data only after an event. */
async function addNumber(api: ApiClient, account: AccountJson, page: Page): Promise<void> {
  const numbers = page.locator("tbody tr");
  const count = await numbers.count();
  await api.createPhoneNumber({ account_id: account.account_token, phone_number: uniqueNumber() });
  await expect.poll(() => numbers.count()).toBe(count + 1);
}

/** Makes a page consider itself hidden or visible: a headless browser shows all tabs. */
async function setVisibility(page: Page, state: "hidden" | "visible"): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, "visibilityState", { configurable: true, value: "${state}" });
    document.dispatchEvent(new Event("visibilitychange"));`);
}

/** A port that stays the same while the server behind it is replaced. */
interface Gate extends AsyncDisposable {
  readonly url: string;
  /** Closes all connections, and rejects new connections. */
  close(): void;
  open(): void;
}

async function openGate(port: () => number): Promise<Gate> {
  const sockets = new Set<Socket>();
  let isOpen = true;
  const gate = createServer((client) => {
    if (!isOpen) {
      client.destroy();
      return;
    }
    const server = connect(port(), "127.0.0.1");
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }).listen(0, "127.0.0.1");
  await once(gate, "listening");
  const close = () => {
    isOpen = false;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(gate.address() as AddressInfo).port}`,
    close,
    open: () => {
      isOpen = true;
    },
    async [Symbol.asyncDispose]() {
      close();
      gate.close();
    },
  };
}
