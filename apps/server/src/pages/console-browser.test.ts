import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "kysely";
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, onTestFailed, onTestFinished, test, vi } from "vitest";
import type { AccountJson, ApiClient } from "../testing/api-client.js";
import { describeOnPostgres } from "../testing/behavior.js";
import { describeInBrowser } from "../testing/browser.js";
import { type ConsoleTab, openConsoleTab } from "../testing/console-tab.js";
import { createBearerHeaders, createTestAdminKey } from "../testing/credentials.js";
import { startIssuer } from "../testing/issuer.js";
import { createJsonClient } from "../testing/json-client.js";
import { newAccount, newAccountWithNumber, uniqueNumber, uniqueToken } from "../testing/request-fields.js";
import { startTestServer, type TestServer } from "../testing/test-server.js";
import { newTrackedPool, type TrackedPool } from "../testing/tracked-pool.js";

const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };

/** Screen widths in pixels: a wide screen, and narrow screens above and below the breakpoints of the style sheets. */
const WIDTHS = [1920, 768, 390];

/** A text that runs a script if a page inserts it as HTML. */
const HOSTILE = "<img src=x onerror=alert(1)>";

describeInBrowser("the console in a browser", (browser) => {
  describeOnPostgres(
    "with API keys",
    (service) => {
      let admin: string;
      let api: ApiClient;
      let tracked: TrackedPool;
      let place: string;
      let endpointPlace: string;
      const longAccount = uniqueToken("account".repeat(20));

      /**
       * Creates a pool, texts that attackers could write, and calls. The numbers of the pool still belong to former sources, so better sources get
       * none.
       */
      beforeAll(async () => {
        admin = await createTestAdminKey(service.server.database);
        api = createJsonClient(`${service.server.url}/api`, createBearerHeaders(admin));
        tracked = await newPool({ size: 2, utilization: 1, numbers: 8, description: HOSTILE });
        await tracked.visit({ "google / cpc": 300, "newsletter / email": 200 });
        const [number = ""] = (await tracked.pass()).map(({ tracking_number }) => tracking_number);
        await tracked.visit({ [`${HOSTILE} / social`]: 900, "bing / cpc": 800 });
        await tracked.pass();
        const now = new Date().toISOString();
        for (const [index, ended_at] of [now, null].entries()) {
          await api.createCall({
            ...{ call_id: `call-${index}`, tracking_number: number, caller_number: "+14155550199" },
            ...{ started_at: now, answered_at: ended_at && now, ended_at },
          });
        }
        await api.createPhoneSystem({ name: HOSTILE, kind: "sip", fallback_number: uniqueNumber() });
        await api.createAccount({ account_token: longAccount });
        place = `accounts/${tracked.account.account_token}`;
        const receiver = await startReceiver();
        const account_id = tracked.account.account_token;
        const types = ["account.*", "call.ended"];
        const url = `${receiver.url}/${"long".repeat(40)}`;
        const { webhook_endpoint } = await api.createWebhookEndpoint({ account_id, url, types, description: HOSTILE });
        await api.testWebhookEndpoint({ account_id, webhook_endpoint_id: webhook_endpoint.id });
        await vi.waitUntil(() => receiver.count() > 0);
        receiver.stop();
        endpointPlace = `${place}/webhook-endpoints/${webhook_endpoint.id}`;
      });

      const newPool = (fields: Parameters<typeof newTrackedPool>[1]) =>
        newTrackedPool({ api, server: service.server }, fields);

      const consoleUrl = () => `${service.server.url}/api/console/`;

      /** Opens a new tab. `at` is a place in the console, such as `inventory`. By default, the tab shows the start of the console. */
      const openNewTab = async (at?: string, key = admin, timeZone?: string) => {
        const options = { key, ...(timeZone !== undefined && { timeZone }) };
        const tab = await openConsoleTab(browser(), consoleUrl(), options);
        if (at !== undefined) await tab.open(at);
        return tab;
      };

      let shared: ConsoleTab | undefined;

      /** Opens a place in the tab that most tests share, because a new tab takes a second of processor time. A failed test leaves its tab. */
      const openTab = async (at?: string): Promise<ConsoleTab> => {
        shared ??= await openNewTab();
        const tab = shared;
        onTestFailed(() => {
          shared = undefined;
        });
        if (at !== undefined) await tab.open(at);
        return {
          ...tab,
          async [Symbol.asyncDispose]() {
            await tab.page.unrouteAll({ behavior: "ignoreErrors" });
            await tab.page.setViewportSize(DESKTOP);
            await tab.open("no-such-page");
          },
        };
      };

      /** Opens a tab that receives no events, so it shows changes by others only after it reloads its data. */
      const openTabWithoutEvents = async (at?: string) => {
        const tab = await openNewTab();
        await tab.context.addInitScript({ content: "delete window.SharedWorker" });
        await tab.page.route("**/WatchEvents", (route) => route.abort());
        if (at !== undefined) await tab.open(at);
        return tab;
      };

      const createKey = async (scopes: readonly string[], account_id?: string) =>
        (await api.createApiKey({ scopes, ...(account_id !== undefined && { account_id }) })).key;

      const poolPlace = (tab = "") => `${place}/pools/${tracked.pool.id}${tab}`;

      const pages = (): readonly (readonly [place: string, text: string])[] => [
        ["accounts", tracked.account.account_token],
        [`${place}/pools`, "starved: 2 sources without a number"],
        [poolPlace(), HOSTILE],
        [poolPlace("/resize"), "Without an update"],
        [poolPlace("/timeline"), "Who changed the pool"],
        [poolPlace("/call-flow"), "rings"],
        [`${place}/calls`, "+1\u00a0415\u00a0555\u00a00199"],
        [`${place}/report`, "2 calls"],
        [`${place}/report?by=day`, "calls per 100 visits (right scale)"],
        [`${place}/numbers`, tracked.originalNumber],
        [`${place}/pools/new`, "Create pool"],
        ["inventory", tracked.areaCode],
        ["phone-systems", HOSTILE],
        [`${place}/webhook-endpoints`, HOSTILE],
        [endpointPlace, "webhook_endpoint.test"],
        ["webhook-endpoints", "events from all accounts"],
        ["try", "What would this visitor see?"],
        [`accounts/${longAccount}/pools/new`, "register one first"],
        ["no-such-page", "This page does not exist"],
      ];

      test("shows every page without violations in both themes, and truncates nothing at any width of the screen", async () => {
        await using tab = await openNewTab();
        const { page } = tab;
        for (const [path, text] of pages()) {
          await page.emulateMedia({ colorScheme: "light" });
          await page.setViewportSize(DESKTOP);
          await tab.open(path);
          expect.soft(await page.locator("main").innerText(), path).toContain(text);
          expect.soft(await page.locator("main img").count(), path).toBe(0);
          expect.soft(await tab.findAxeViolations(), `${path}, light`).toEqual([]);
          await page.emulateMedia({ colorScheme: "dark" });
          // The themes differ only in colors.
          expect.soft(await tab.findAxeViolations(["color-contrast"]), `${path}, dark`).toEqual([]);
          await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
          for (const width of WIDTHS) {
            await page.setViewportSize({ width, height: DESKTOP.height });
            await expect.poll(() => findCutOff(page), { message: `${path}, ${width} pixels wide` }).toEqual([]);
          }
        }
        expect(tab.complaints).toEqual([]);
      });

      test("shows both URLs of a phone system on a phone, and copies them", async () => {
        await using tab = await openTab();
        const { page, context } = tab;
        await context.grantPermissions(["clipboard-read", "clipboard-write"]);
        await page.setViewportSize(PHONE);
        await tab.open("phone-systems");
        for (const [use, ending] of [
          ["for incoming calls", "voice"],
          ["for call status", "status"],
        ] as const) {
          await page.getByRole("button", { name: `Copy the URL ${use} of ${HOSTILE}` }).click();
          await expect
            .poll(() => page.evaluate("navigator.clipboard.readText()"))
            .toMatch(/^https:\/\/calls\.example\//);
          const url = page.locator("code", { hasText: new RegExp(`/${ending}$`) });
          expect(await url.innerText()).toBe(await page.evaluate("navigator.clipboard.readText()"));
          await url.click();
          expect(await page.evaluate("getSelection().toString()")).toBe(await url.innerText());
        }
      });

      test("asks for a key, keeps it out of URLs and persistent storage, and asks again when it is revoked", async () => {
        const { key, api_key } = await api.createApiKey({ scopes: ["read"] });
        await using tab = await openConsoleTab(browser(), consoleUrl());
        const { page } = tab;
        await page.goto(`${consoleUrl()}#/${place}/pools`);
        await submit(page, { "API key": "“ct_wrong”" }, "Sign in");
        await expectProblem(page, "API key", "letters, digits and underscores");
        await page.getByLabel("API key").fill("ct_wrong");
        await page.keyboard.press("Enter");
        await page.getByText("The API key was not accepted").waitFor();
        expect(await tab.findAxeViolations()).toEqual([]);
        const addresses: string[] = [];
        page.on("request", (request) => addresses.push(request.url()));
        await page.getByLabel("API key").fill(key);
        await page.getByRole("button", { name: "Sign in" }).click();
        await page.getByText("starved").waitFor();
        expect([page.url(), ...addresses].join(" ")).not.toContain(key);
        expect(await page.evaluate("JSON.stringify(localStorage)")).not.toContain(key);
        await page.reload();
        await page.getByText("starved").waitFor();
        await api.revokeApiKey({ api_key_id: (api_key as { id: string }).id });
        await page.getByLabel("API key").waitFor({ timeout: 120_000 });
        expect(await page.evaluate("JSON.stringify(sessionStorage)")).not.toContain(key);
      });

      test("offers only what the key permits", async () => {
        await using reader = await openNewTab(poolPlace("/resize"), await createKey(["read"]));
        await reader.page.getByText("may plan an update, but not apply it").waitFor();
        await reader.open("accounts");
        expect(await reader.page.getByText("New account").count()).toBe(0);
        await reader.open("inventory");
        expect(await reader.page.getByRole("button", { name: /^Retire/ }).count()).toBe(0);
        await using writer = await openNewTab(undefined, await createKey(["write"]));
        await writer.page.goto(consoleUrl());
        await writer.page.getByText("The console needs the scope read").waitFor();
      });

      test("shows a caller that is bound to an account only this account", async () => {
        await using tab = await openNewTab("", await createKey(["read"], tracked.account.account_token));
        await tab.page.getByText("starved").waitFor();
        expect(await tab.page.getByRole("link", { name: "Inventory" }).count()).toBe(0);
        await tab.open(`accounts/${(await newAccount(api)).account_token}/pools`).catch(() => {});
        await tab.page.getByText("Could not load pools").waitFor();
      });

      test("refreshes the table of pools automatically", async () => {
        const other = await newPool({ size: 3, numbers: 3 });
        await using tab = await openTab(`accounts/${other.account.account_token}/pools`);
        await tab.page.getByTitle("0 active, 0 flagged, 3 available; pool size 3").waitFor();
        await other.visit({ "google / cpc": 500 });
        await other.pass();
        await tab.page.getByTitle("1 active, 0 flagged, 2 available; pool size 3").waitFor();
      });

      test("waits for a slow response before it requests again, and meanwhile says how old the shown values are", async () => {
        await using tab = await openTabWithoutEvents();
        const { page } = tab;
        await page.clock.install();
        for (const [place, method, text] of [
          [`accounts/${tracked.account.account_token}/pools`, "ListPoolSummaries", "starved"],
          [poolPlace(), "ExplainPool", "Sources without a number"],
        ] as const) {
          const answers = await holdAnswers(page, method);
          await page.goto(`${consoleUrl()}#/${place}`);
          await answers.arrived(1);
          await page.clock.runFor(20_000);
          expect(answers.count()).toBe(1);
          answers.release();
          await page.getByText(text).first().waitFor();
          await page.clock.runFor(5000);
          await answers.arrived(2);
          await page.clock.runFor(5000);
          await page
            .getByText(/^As of .*:\d\d [AP]M, could not be refreshed: The server has not answered yet/)
            .waitFor();
          answers.lose();
          await page.getByText(/^As of .*:\d\d [AP]M, could not be refreshed: The server cannot be reached/).waitFor();
          await page.getByText(text).first().waitFor();
          await page.clock.runFor(5000);
          await answers.arrived(3);
          answers.release();
          await page.getByText("could not be refreshed").waitFor({ state: "detached" });
        }
      });

      test("leads from a pool without enough numbers to a larger size, by keyboard alone", async () => {
        await using tab = await openNewTab(`${place}/pools`);
        const { page } = tab;
        await tabTo(page, tracked.originalNumber);
        await page.keyboard.press("Enter");
        await page.getByText(/2 sources without a call tracker/i).waitFor();
        await tabTo(page, "plan it");
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { name: "Effect of this update" }).waitFor();
        await page.getByText("Every source that should have a number gets one.").waitFor();
        await page.getByText("this update").first().waitFor();
        await tabTo(page, "Apply update");
        await page.keyboard.press("Enter");
        await page.getByText("The next pass adjusts the call trackers.").waitFor();
        expect((await api.getPool(tracked.name)).size).toBe(4);
        expect(tab.complaints).toEqual([]);
      });

      test("keeps the user's input if the pool was changed meanwhile, and plans it for the current settings", async () => {
        await using tab = await openTabWithoutEvents(`${poolPlace("/resize")}?size=9`);
        const { page } = tab;
        const size = page.getByLabel("Size", { exact: true });
        const apply = page.getByRole("button", { name: "Apply update" });
        expect(await size.inputValue()).toBe("9");
        await size.fill("7");
        await page.getByRole("heading", { name: "Effect of this update" }).waitFor();
        await api.updatePool({ ...tracked.name, size: 5, utilization: 0.9 });
        await apply.click();
        await page.getByText("Updating the pool: conflict").waitFor();
        expect((await api.getPool(tracked.name)).size).toBe(5);
        await page.getByText("now 5").waitFor();
        expect(await size.inputValue()).toBe("7");
        expect(await page.getByLabel("Utilization", { exact: true }).inputValue()).toBe("0.9");
        await apply.click();
        await page.getByText("The next pass adjusts the call trackers.").waitFor();
        expect(await api.getPool(tracked.name)).toMatchObject({ size: 7, utilization: 0.9 });
        expect(await size.inputValue()).toBe("7");
        expect(await apply.isDisabled()).toBe(true);
        await size.fill("0");
        await expectProblem(page, "Size", "Must be between 1 and 10000");
        expect(await apply.isDisabled()).toBe(true);
      });

      test("does not mistake the user's own update for someone else's", async () => {
        const own = await newPool({ size: 2, numbers: 0 });
        await using tab = await openNewTab(`accounts/${own.account.account_token}/pools/${own.pool.id}/resize`);
        const { page } = tab;
        const size = page.getByLabel("Size", { exact: true });
        const apply = page.getByRole("button", { name: "Apply update" });
        const applied = page.getByText("The next pass adjusts the call trackers.");
        const answers = await holdAnswers(page, "UpdatePool");
        await size.fill("3");
        await apply.click();
        await answers.arrived(1);
        answers.lose();
        await applied.waitFor();
        await holdAnswers(page, "GetPool");
        for (const [count, value] of [
          [2, "4"],
          [3, "5"],
        ] as const) {
          await size.fill(value);
          await apply.click();
          await answers.arrived(count);
          answers.release();
          await applied
            .getByText(`size ${value}`)
            .or(page.getByText(/conflict/i))
            .waitFor();
          expect(await page.getByText(/conflict/i).count()).toBe(0);
        }
        expect((await api.getPool(own.name)).size).toBe(5);
      });

      test("changes the call flow of a pool, and shows what happens to a call then", async () => {
        const called = await newPool({ size: 1, numbers: 1, is_prompted: true });
        await using tab = await openTab(`accounts/${called.account.account_token}/pools/${called.pool.id}/call-flow`);
        const { page } = tab;
        for (const seconds of ["4", "99999999999"]) {
          await submit(page, { "Seconds to ring": seconds }, "Save");
          await expectProblem(page, "Seconds to ring", "Must be between 5 and 120");
        }
        await submit(page, { "Seconds to ring": "45", "Fallback number": "+12125550199" }, "Save");
        await page.getByText("rings +12125550199 for 45 seconds").waitFor();
        expect((await api.getCallFlow(called.name)).effective).toMatchObject({ ring_seconds: 45 });
        await page.getByLabel("Prompt").selectOption({ label: "off" });
        await submit(page, { "Seconds to ring": "" }, "Save");
        await page.getByText("the setting prompt is off", { exact: true }).waitFor();
        const number = called.trackers[0]?.tracking_number as string;
        await page.getByLabel("Redirected by").fill(number);
        await page.getByLabel("Caller", { exact: true }).fill("+1");
        await expectProblem(page, "Caller", "Must be");
        await page.getByLabel("Caller", { exact: true }).fill(number);
        await page.getByText(`the caller's number ${number} is a tracking number`).waitFor();
        expect((await api.getCallFlow(called.name)).settings).toMatchObject({ ring_seconds: null, prompt: "off" });
      });

      test("keeps the user's input if the call flow was changed meanwhile, and saves it over the current settings", async () => {
        const called = await newPool({ size: 1, numbers: 1 });
        await using tab = await openTabWithoutEvents(
          `accounts/${called.account.account_token}/pools/${called.pool.id}/call-flow`,
        );
        const { page } = tab;
        await page.getByLabel("Seconds to ring").fill("45");
        await page.getByLabel("Prompt").selectOption({ label: "off" });
        await api.updateCallFlow({ ...called.name, settings: { ring_seconds: 30, fallback_number: "+12125550199" } });
        await page.getByRole("button", { name: "Save" }).click();
        await page.getByText("Changing the call flow: conflict").waitFor();
        await expect.poll(() => page.getByLabel("Fallback number").inputValue()).toBe("+12125550199");
        expect(await page.getByLabel("Seconds to ring").inputValue()).toBe("45");
        await page.getByRole("button", { name: "Save" }).click();
        await page.getByText("rings +12125550199 for 45 seconds").waitFor();
        expect((await api.getCallFlow(called.name)).settings).toMatchObject({
          ring_seconds: 45,
          fallback_number: "+12125550199",
          prompt: "off",
        });
      });

      test("does not repeat a failure after the changes that failed are undone or applied", async () => {
        const own = await newPool({ size: 2, numbers: 1 });
        const at = `accounts/${own.account.account_token}/pools/${own.pool.id}`;
        await using tab = await openTab(`${at}/call-flow`);
        const { page } = tab;
        const seconds = page.getByLabel("Seconds to ring");
        const fallback = page.getByLabel("Fallback number");
        await submit(page, { "Seconds to ring": "4" }, "Save");
        await expectProblem(page, "Seconds to ring", "Must be between 5 and 120");
        await seconds.fill("");
        await expect.poll(() => seconds.getAttribute("aria-invalid")).toBe("false");
        await fallback.pressSequentially("+1212");
        expect(await fallback.inputValue()).toBe("+1212");
        expect(await seconds.getAttribute("aria-invalid")).toBe("false");
        await tab.open(`${at}/resize`);
        const answers = await holdAnswers(page, "UpdatePool");
        const plan = page.getByRole("heading", { name: "Effect of this update" });
        await page.getByLabel("Size", { exact: true }).fill("3");
        await page.getByRole("button", { name: "Apply update" }).click();
        await answers.arrived(1);
        answers.lose();
        await page.getByText("The next pass adjusts the call trackers.").waitFor();
        await page.getByLabel("Size", { exact: true }).fill("4");
        await plan.waitFor();
        expect(await page.getByText("no answer").count()).toBe(0);
      });

      test("keeps what the user types while a form is being sent", async () => {
        const busy = await newPool({ size: 1, numbers: 1 });
        const at = `accounts/${busy.account.account_token}`;
        await using tab = await openTab(`${at}/pools/${busy.pool.id}/call-flow`);
        const { page } = tab;
        const field = (label: string) => page.getByLabel(label, { exact: true });
        const [seconds, fallback] = [field("Seconds to ring"), field("Fallback number")];
        const updates = await holdAnswers(page, "UpdateCallFlow");
        await submit(page, { "Seconds to ring": "33", "Fallback number": "+12125550198" }, "Save");
        await updates.arrived(1);
        await fallback.fill("");
        await field("Text that callers hear first").fill("Half a");
        updates.release();
        await page.getByText("rings +12125550198 for 33 seconds").waitFor();
        expect(await seconds.inputValue()).toBe("33");
        expect(await fallback.inputValue()).toBe("");
        expect(await field("Text that callers hear first").inputValue()).toBe("Half a");
        await tab.open(`${at}/numbers`);
        const creations = await holdAnswers(page, "CreatePhoneNumber");
        await submit(page, { "Phone number": uniqueNumber(), Description: "first" }, "Register number");
        await creations.arrived(1);
        await field("Phone number").fill("+13105550");
        await field("Description").fill("second");
        creations.release();
        await page.getByRole("cell", { name: "first" }).waitFor();
        expect(await field("Phone number").inputValue()).toBe("+13105550");
        expect(await field("Description").inputValue()).toBe("second");
      });

      test("says that a timeline shows only the newest calls in its time range, and loads the calls in a shorter range", async () => {
        const busy = await newPool({ size: 1, numbers: 1 });
        await holdSince(service.server, busy, "2 hours");
        const [{ tracking_number = "" } = {}] = await busy.pass();
        const call = (index: number) => {
          const started_at = new Date(Date.now() - (index < 5 ? 30 : 1) * 60_000).toISOString();
          return { call_id: `busy-${index}`, tracking_number, started_at, ended_at: started_at };
        };
        for (const from of [0, 600]) {
          const { created } = await api.batchCreateCalls({
            calls: Array.from({ length: 600 }, (_, n) => call(from + n)),
          });
          expect(created).toBe(600);
        }
        await using tab = await openTab(`accounts/${busy.account.account_token}/pools/${busy.pool.id}/timeline`);
        await tab.page.getByText("Only the newest 1,000 calls in this period are shown").waitFor();
        await tab.page.getByRole("button", { name: "Zoom in" }).click();
        await tab.page.getByText("5 calls in this period").waitFor();
        expect(await tab.page.locator(".call-mark").count()).toBe(5);
      });

      test("loads the calls in a timeline's range however far the user zooms in", async () => {
        const old = await newPool({ size: 1, numbers: 1 });
        const [{ tracking_number = "" } = {}] = old.trackers;
        const started_at = new Date().toISOString();
        await api.createCall({ call_id: uniqueToken("call"), tracking_number, started_at, ended_at: started_at });
        const { kysely } = service.server.database;
        await sql`update pools set created_at = now() - interval '30 days' where account_id = ${old.account.id}`.execute(
          kysely,
        );
        await using tab = await openTab(`accounts/${old.account.account_token}/pools/${old.pool.id}/timeline`);
        const { page } = tab;
        await page.getByText("1 call in this period").waitFor();
        for (let count = 0; count < 12; count++) await page.getByRole("button", { name: "Zoom in" }).click();
        await page.getByText("0 calls in this period").or(page.getByText("Could not load")).waitFor();
        expect(await page.getByText("Could not load").count()).toBe(0);
      });

      test.for([
        ["on a desktop", DESKTOP, 6],
        ["stacked on a phone", PHONE, 2],
      ] as const)(
        "shows the rows of a long table at each place, by mouse and by keyboard, %s",
        async ([, size, minRows]) => {
          const long = await newPool({ size: 1, numbers: 0 });
          await addChanges(service.server, long, 10_000);
          await using tab = await openTab(`accounts/${long.account.account_token}/pools/${long.pool.id}/timeline`);
          const { page } = tab;
          await page.setViewportSize(size);
          await page.getByText("All changes to call trackers as a table").click();
          const frame = page.getByRole("region", { name: "Changes to call trackers" });
          expect(await frame.getByRole("table").getAttribute("aria-rowcount")).toBe("10001");
          await frame.scrollIntoViewIfNeeded();
          const shown = () => readVisibleRows(frame);
          await expect
            .poll(async () => (await shown()).slice(0, 2))
            .toEqual(["2: +1 900 000 0001", "3: +1 900 000 0002"]);
          await frame.evaluate((element) => element.scrollTo(0, element.scrollHeight / 2));
          await expect.poll(async () => (await shown()).length).toBeGreaterThanOrEqual(minRows);
          for (const row of await shown()) expect(row).toMatch(rowWithItsNumber(row));
          expect(Math.abs(Number.parseInt((await shown())[0] ?? "", 10) - 5000)).toBeLessThan(50);
          await frame.focus();
          const pressEnd = async () => {
            // The table measures the height of a stacked row only when it shows the row, so one press may not scroll to the end.
            await page.keyboard.press("End");
            return (await shown()).at(-1);
          };
          await expect.poll(pressEnd).toBe("10001: +1 900 001 0000");
          await page.keyboard.press("PageUp");
          await expect.poll(async () => (await shown()).at(-1)).not.toContain("10001:");
          for (const row of await shown()) expect(row).toMatch(rowWithItsNumber(row));
          await page.keyboard.press("Home");
          await expect.poll(async () => (await shown())[0]).toBe("2: +1 900 000 0001");
          expect(await frame.getByRole("row").count()).toBeLessThan(100);
          expect(await tab.findAxeViolations()).toEqual([]);
        },
      );

      test("creates an account, a number and a pool, and shows the API's messages at the fields", async () => {
        await using tab = await openTab("accounts");
        const { page } = tab;
        const [token, number] = [uniqueToken(), uniqueNumber()];
        await submit(page, { "Account token": "with space" }, "Create account");
        await expectProblem(page, "Account token", "Must not contain whitespace");
        await submit(page, { "Account token": token }, "Create account");
        await page.getByRole("heading", { name: "Register a number" }).waitFor();
        await submit(page, { "Phone number": "12" }, "Register number");
        await expectProblem(page, "Phone number", "Must");
        await submit(page, { "Phone number": number }, "Register number");
        await page.getByRole("link", { name: "New pool" }).click();
        await submit(page, { "Area code": "415", Size: "99999999999", Property: "shop" }, "Create pool");
        await expectProblem(page, "Size", "Must be between 1 and 10000");
        await submit(page, { "Area code": "x", Size: "0" }, "Create pool");
        await expectProblem(page, "Area code", "Must");
        await expectProblem(page, "Size", "Must be between 1 and 10000");
        const unrecorded = page.getByText("Create a pool with is_prompted to record its calls");
        await page.getByLabel("Record calls").check();
        await unrecorded.waitFor();
        await page.getByLabel("Play a prompt").check();
        await unrecorded.waitFor({ state: "detached" });
        await page.getByLabel("Play a prompt").uncheck();
        await submit(page, { "Area code": "415", Size: "4" }, "Create pool");
        await page.getByRole("heading", { name: "Sources" }).waitFor();
        await page.getByRole("link", { name: "Resize" }).click();
        await unrecorded.waitFor();
        expect(await api.listPools({ account_id: token })).toMatchObject({ entries: [{ size: 4, area_code: "415" }] });
      });

      test("creates a resource once if its request is sent again after the response was lost", async () => {
        await using tab = await openTab("accounts");
        const { page } = tab;
        const [token, number] = [uniqueToken(), uniqueNumber()];
        const sendTwice = async (method: string, values: Readonly<Record<string, string>>, button: string) => {
          const answers = await holdAnswers(page, method);
          await submit(page, values, button);
          await answers.arrived(1);
          answers.lose();
          await page.getByText("The server cannot be reached").waitFor();
          await page.getByRole("button", { name: button }).click();
          await answers.arrived(2);
          answers.release();
          return answers;
        };
        await sendTwice("CreateAccount", { "Account token": token }, "Create account");
        await page.getByRole("heading", { name: "Register a number" }).waitFor();
        const numbers = await sendTwice("CreatePhoneNumber", { "Phone number": number }, "Register number");
        await page.getByRole("link", { name: "New pool" }).waitFor();
        await submit(page, { "Phone number": number }, "Register number");
        await numbers.arrived(3);
        numbers.release();
        await page.getByText("Registering the number failed").waitFor();
        await page.getByRole("link", { name: "New pool" }).click();
        const pools = await sendTwice("CreatePool", { "Area code": "415", Size: "4", Property: "shop" }, "Create pool");
        await page.getByRole("heading", { name: "Sources" }).waitFor();
        const sizes = async () => (await api.listPools({ account_id: token })).entries.map(({ size }) => size);
        expect(await sizes()).toEqual([4]);
        await tab.open(`accounts/${token}/pools/new`);
        await submit(page, { "Area code": "415", Size: "5", Property: "shop" }, "Create pool");
        await pools.arrived(3);
        pools.lose();
        await page.getByText("Creating the pool: no answer").waitFor();
        await submit(page, { Size: "6" }, "Create pool");
        await pools.arrived(4);
        pools.release();
        await page.getByRole("heading", { name: "Sources" }).waitFor();
        expect((await sizes()).toSorted()).toEqual([4, 5, 6]);
      });

      test("shows what a visitor sees and where a call goes", async () => {
        await using tab = await openTab("try");
        const { page } = tab;
        const { account, property } = tracked;
        const visitor = { Account: account.account_token, Property: property, Source: "google", Medium: "cpc" };
        await submit(page, visitor, "Show numbers");
        await page.getByRole("region", { name: "Numbers for this visitor" }).waitFor();
        const [{ tracking_number = "" } = {}] = (await api.listCallTrackers(tracked.name)).entries;
        await submit(page, { "Number dialed": tracking_number }, "Show destination");
        await page.getByText("still assigned").waitFor();
        const answer = page.getByRole("region", { name: "Where does this call go?" });
        expect(await answer.innerText()).toContain("google / cpc");
      });

      test("shows where a call went at a past time in the user's time zone", async () => {
        const moved = await newPool({ size: 1, utilization: 1, numbers: 1 });
        await moved.visit({ "google / cpc": 500 });
        const [{ tracking_number = "" } = {}] = await moved.pass();
        await holdSince(service.server, moved, "3 hours");
        await using tab = await openTab("try");
        const { page } = tab;
        const answer = page.getByRole("region", { name: "Where does this call go?" });
        const hours = (count: number) => inTokyo(new Date(Date.now() + count * 3_600_000));
        await submit(page, { "Number dialed": tracking_number, When: hours(-1) }, "Show destination");
        await answer.getByText("no source").waitFor();
        await submit(page, { When: "" }, "Show destination");
        await answer.getByText("google / cpc").waitFor();
        await submit(page, { When: hours(1) }, "Show destination");
        await expectProblem(page, "When", "Must not be in the future");
        expect(await answer.getByText("google / cpc").count()).toBe(0);
      });

      test("retires a number after confirmation", async () => {
        const areaCode = "98765";
        const number = uniqueNumber();
        await api.addTrackingNumbers({ tracking_numbers: [{ phone_number: number, area_code: areaCode }] });
        await using tab = await openTab("inventory");
        await tab.page.getByRole("button", { name: areaCode }).click();
        await tab.page.getByRole("button", { name: `Retire ${number}` }).click();
        expect(await tab.findAxeViolations()).toEqual([]);
        await tab.page.getByRole("button", { name: "Retire number" }).click();
        await tab.page.getByRole("region", { name: "Numbers", exact: true }).getByText("retired").waitFor();
      });

      test("returns the focus to the row of a number that is being retired", async () => {
        const visits = { "google / cpc": 500 };
        const held = await newTrackedPool(
          { api, server: service.server },
          { size: 1, utilization: 1, numbers: 1, visits },
        );
        const [{ tracking_number } = {}] = held.trackers;
        await using tab = await openTab();
        await tab.open("inventory");
        await tab.page.getByRole("button", { name: `Retire ${tracking_number}` }).press("Enter");
        await tab.page.getByRole("button", { name: "Retire number" }).press("Enter");
        await tab.page.getByRole("region", { name: "Numbers", exact: true }).getByText("retiring").waitFor();
        expect(await readFocus(tab.page)).toBe("Retire");
      });

      test("disables a phone system after confirmation, and enables it again", async () => {
        const name = "Disabled by the console";
        await api.createPhoneSystem({ name, kind: "sip", fallback_number: uniqueNumber() });
        await using tab = await openTab("phone-systems");
        tab.page.once("dialog", (dialog) => dialog.accept());
        await tab.page.getByRole("button", { name: `Disable ${name}` }).click();
        await tab.page.getByRole("button", { name: `Enable ${name}` }).click();
        await tab.page.getByRole("button", { name: `Disable ${name}` }).waitFor();
      });

      test("disables a phone system that was changed meanwhile at the second attempt", async () => {
        const name = uniqueToken("system");
        const { phone_system } = await api.createPhoneSystem({ name, kind: "sip", fallback_number: uniqueNumber() });
        const system = { phone_system_id: phone_system.id };
        await using tab = await openTabWithoutEvents("phone-systems");
        const { page } = tab;
        page.on("dialog", (dialog) => dialog.accept());
        await api.updatePhoneSystem({ ...system, fallback_number: uniqueNumber() });
        await page.getByRole("button", { name: `Disable ${name}` }).click();
        await page.getByText("Changing the phone system: conflict").waitFor();
        await page.getByRole("button", { name: `Disable ${name}` }).click();
        await page.getByRole("button", { name: `Enable ${name}` }).waitFor();
        expect(await page.getByText("conflict").count()).toBe(0);
        expect((await api.getPhoneSystem(system)).is_active).toBe(false);
      });

      test("creates a webhook endpoint, tests it, sends a failed delivery again, and deletes it", async () => {
        const receiver = await startReceiver();
        onTestFinished(receiver.stop);
        await using tab = await openTab("webhook-endpoints");
        const { page } = tab;
        const values = { URL: receiver.url, "Event types": "call.*, calls" };
        await submit(page, values, "Create webhook endpoint");
        await expectProblem(page, "Event types", "Must be an event type such as call.ended");
        await submit(page, { "Event types": "call.*, account.disabled" }, "Create webhook endpoint");
        await page.getByText(/^whsec_/).waitFor();
        await page.getByRole("link", { name: "Send it a test event" }).click();
        await page.getByRole("button", { name: "Send test event" }).click();
        await page.getByText("The test event was not accepted").waitFor();
        const deliveries = page.getByRole("region", { name: "Deliveries", exact: true }).getByRole("table");
        await deliveries.getByText("the receiver answered 503").waitFor();
        await page.getByText("Beginning of the response").click();
        await deliveries.getByText(HOSTILE).waitFor();
        receiver.accept();
        await page.getByRole("button", { name: /^Send again: webhook_endpoint.test from / }).click();
        await deliveries.getByText("the receiver answered 204").waitFor();
        await page.getByLabel("Status").selectOption("dead");
        await page.getByText("No delivery matches").waitFor();
        await page.getByLabel("Active: events are sent").uncheck();
        await page.getByRole("button", { name: "Save" }).click();
        await page.getByRole("button", { name: "Resume" }).click();
        await page.getByLabel("Since").fill(inTokyo(new Date()));
        await page.getByRole("button", { name: "Send all again" }).click();
        await page.getByText("are being sent again").waitFor();
        await page.getByRole("button", { name: "Rotate secret" }).click();
        await page.getByText(/^whsec_/).waitFor();
        await page.getByText(", expires").waitFor();
        await page.getByRole("button", { name: "Delete", exact: true }).click();
        expect(await tab.findAxeViolations()).toEqual([]);
        await page.getByRole("button", { name: "Delete webhook endpoint" }).click();
        await page.getByText("No webhook endpoints yet").waitFor();
      });

      test("deletes a webhook endpoint at the second attempt if the first response was lost", async () => {
        const { account_token: account_id } = await newAccount(api);
        const { webhook_endpoint } = await api.createWebhookEndpoint({ account_id, url: "https://example.com" });
        await using tab = await openTab(`accounts/${account_id}/webhook-endpoints/${webhook_endpoint.id}`);
        const { page } = tab;
        const answers = await holdAnswers(page, "DeleteWebhookEndpoint");
        const remove = page.getByRole("button", { name: "Delete webhook endpoint" });
        await page.getByRole("button", { name: "Delete", exact: true }).click();
        await remove.click();
        await answers.arrived(1);
        answers.lose();
        await page.getByText("Deleting the webhook endpoint: no answer").waitFor();
        await remove.click();
        await answers.arrived(2);
        answers.release();
        await page
          .getByText("No webhook endpoints yet")
          .or(page.getByText("Deleting the webhook endpoint failed"))
          .waitFor();
        expect(page.url()).toMatch(/\/webhook-endpoints$/);
      });

      test("moves the focus to the first field with a problem, and keeps it on a button that was pressed", async () => {
        await using tab = await openTab();
        const { page } = tab;
        const button = page.getByRole("button", { name: "Show numbers" });
        await tab.open("try");
        await button.press("Enter");
        await expect.poll(() => readFocus(page)).toBe("Account");
        await page.getByLabel("Account").fill(tracked.account.account_token);
        await page.getByLabel("Property").fill(tracked.property);
        await button.press("Enter");
        await page.getByRole("region", { name: "Numbers for this visitor" }).waitFor();
        expect(await readFocus(page)).toBe("Show numbers");
      });

      test("moves the focus to the new content when the user signs in or out, and changes the title", async () => {
        await using tab = await openConsoleTab(browser(), consoleUrl());
        const { page } = tab;
        const focused = () => page.evaluate("document.activeElement.id");
        await page.goto(`${consoleUrl()}#/${place}/pools`);
        await page.getByLabel("API key").fill(admin);
        await page.keyboard.press("Enter");
        const title = `${tracked.account.account_token} · Calltrack`;
        await expect.poll(async () => [await focused(), await page.title()]).toEqual(["main", title]);
        await page.getByRole("button", { name: "Sign out" }).press("Enter");
        await page.getByLabel("API key").waitFor();
        await expect.poll(async () => [await focused(), await page.title()]).toEqual(["main", "Sign in · Calltrack"]);
      });

      test("keeps the focus on a button that has no effect after it was pressed", async () => {
        const own = await newPool({ size: 2, numbers: 1 });
        const at = `accounts/${own.account.account_token}/pools/${own.pool.id}`;
        await using tab = await openTab(`${at}/resize`);
        const { page } = tab;
        const button = (name: string) => page.getByRole("button", { name });
        await page.getByLabel("Size", { exact: true }).fill("3");
        await expect.poll(() => button("Apply update").isEnabled()).toBe(true);
        await button("Apply update").press("Enter");
        await page.getByText("The next pass adjusts the call trackers.").waitFor();
        await waitForFrame(page);
        expect(await readFocus(page)).toBe("Apply update");
        await tab.open(`${at}/timeline`);
        for (const name of ["Zoom out", "Show all"]) {
          await button("Zoom in").press("Enter");
          await expect.poll(() => button(name).isEnabled()).toBe(true);
          await button(name).press("Enter");
          await expect.poll(() => button(name).isDisabled()).toBe(true);
          await waitForFrame(page);
          expect(await readFocus(page)).toBe(name);
        }
        expect(await tab.findAxeViolations()).toEqual([]);
      });

      test("says that the browser must allow storage if the browser denies it", async () => {
        await using tab = await openConsoleTab(browser(), consoleUrl());
        await tab.context.addInitScript({
          content: `for (const name of ["localStorage", "sessionStorage"])
            Object.defineProperty(window, name, { get() { throw new DOMException("Access is denied.", "SecurityError"); } });`,
        });
        await tab.page.goto(consoleUrl());
        await tab.page.getByText("Allow cookies and site data for this site").waitFor();
      });

      test("creates an account on a page without HTTPS", async () => {
        const url = `http://console.test:${service.server.port}/api/console/`;
        await using tab = await openConsoleTab(browser(), url, { key: admin });
        await tab.open("accounts");
        expect(await tab.page.evaluate("isSecureContext")).toBe(false);
        await submit(tab.page, { "Account token": uniqueToken() }, "Create account");
        await tab.page.getByRole("heading", { name: "Register a number" }).waitFor();
      });

      test("offers each of an account's numbers for a new pool", async () => {
        const account = await newAccount(api);
        await addNumbers(service.server, account, 1001);
        await using tab = await openTab();
        await tab.open(`accounts/${account.account_token}/pools/new?number=%2B19000001001`);
        expect(await tab.page.getByLabel("Original number").inputValue()).toBe("+19000001001");
      });

      test("shows the details of a mark in a timeline while the pointer is over it", async () => {
        const held = await newTrackedPool({ api, server: service.server }, { size: 1, numbers: 1 });
        await holdSince(service.server, held, "2 hours");
        await using tab = await openTab();
        const { page } = tab;
        await tab.open(`accounts/${held.account.account_token}/pools/${held.pool.id}/timeline`);
        const detail = page.locator(".timeline-detail");
        await page.locator(".period rect").hover({ position: { x: 4, y: 4 } });
        await expect.poll(() => detail.innerText()).toContain(": available");
        await page.mouse.move(0, 0);
        await expect.poll(() => detail.innerText()).toBe("Point at a bar or a call to see its details.");
      });

      test("draws a report of many years by day", async () => {
        await using tab = await openTab();
        await tab.open(`${place}/report?by=day&from=1970-01-01&to=9998-12-31`);
        expect(await tab.page.locator(".bar-answered").count()).toBeGreaterThan(0);
      });

      test.for(["from", "to"])("keeps the typed %s day of a report while the date is invalid", async (name) => {
        await using tab = await openTab(`${place}/report?from=2025-10-31&to=2025-10-31`);
        const { page } = tab;
        const input = page.getByLabel(name === "from" ? "From (UTC day)" : "To (UTC day)");
        // The month is typed first, and September has no day 31.
        await input.pressSequentially("9");
        await expect.poll(() => input.inputValue()).toBe("");
        await input.pressSequentially("15");
        expect(await input.inputValue()).toBe("2025-09-15");
        expect(page.url()).toContain(`${name}=2025-09-15`);
      });

      test("accepts no typed year with more than four digits", async () => {
        await using tab = await openTab(`${place}/calls`);
        const { page } = tab;
        // The time follows the year without a key between them.
        await page.getByLabel("From", { exact: true }).pressSequentially("010220260930AM");
        await expect.poll(() => page.url()).toContain(`from=${encodeURIComponent("2026-01-02T09:30")}`);
        await tab.open(`${place}/report`);
        await page.getByLabel("From (UTC day)").pressSequentially("0102202612");
        await expect.poll(() => page.url()).toMatch(/from=\d{4}-01-02$/);
      });

      test("names each day of a report in which the clocks go back", async () => {
        const past = await newPool({ size: 1, numbers: 1 });
        await holdSince(service.server, past, "20 years");
        const [{ tracking_number } = {}] = past.trackers;
        const started_at = "2025-11-03T12:00:00Z";
        await api.createCall({ call_id: "past", tracking_number, started_at, ended_at: started_at });
        const at = `accounts/${past.account.account_token}/report?by=day&from=2025-10-29&to=2025-11-06`;
        await using tab = await openNewTab(at, admin, "America/New_York");
        const days = ["Oct 29", "Oct 30", "Oct 31", "Nov 1", "Nov 2", "Nov 3", "Nov 4", "Nov 5", "Nov 6"];
        const texts = tab.page.locator(".chart .axis-text").filter({ hasText: /^[A-Z]/ });
        expect(await texts.allTextContents()).toEqual(days);
        const bars = await tab.page.locator(".chart .bar-other").boundingBox();
        const label = await texts.nth(days.indexOf("Nov 3")).boundingBox();
        const middle = (box: typeof bars) => (box?.x ?? 0) + (box?.width ?? 0) / 2;
        expect(Math.abs(middle(bars) - middle(label))).toBeLessThan(5);
      });

      test("marks the days of a timeline in which the clocks go back at midnight", async () => {
        const past = await newPool({ size: 1, numbers: 1 });
        const { id } = past.account;
        const { kysely } = service.server.database;
        await sql`update pools set created_at = '2025-10-30T04:00Z' where account_id = ${id}`.execute(kysely);
        await sql`update call_tracker_changes set occurred_at = '2025-10-30T04:00Z' where account_id = ${id}`.execute(
          kysely,
        );
        await sql`
          insert into call_tracker_changes (account_id, pool_id, call_tracker_id, tracking_number, kind, reason, occurred_at)
          select account_id, pool_id, call_tracker_id, tracking_number, 'deleted', 'a test', '2025-11-07T05:00Z'
          from call_tracker_changes where account_id = ${id}`.execute(kysely);
        const at = `accounts/${past.account.account_token}/pools/${past.pool.id}/timeline`;
        await using tab = await openNewTab(at, admin, "America/New_York");
        const button = (name: string) => tab.page.getByRole("button", { name });
        // Zooms in until the visible range is about a week at the start. Each click halves the range.
        const times = Math.round(Math.log2((Date.now() - Date.parse("2025-10-30T04:00Z")) / (7 * 86_400_000)));
        for (let count = 0; count < times; count++) {
          await button("Zoom in").click();
          while (await button("Earlier").isEnabled()) await button("Earlier").click();
        }
        const texts = await tab.page.locator(".timeline-axis .axis-text").allTextContents();
        const days = ["Oct 30", "Oct 31", "Nov 1", "Nov 2", "Nov 3", "Nov 4", "Nov 5", "Nov 6", "Nov 7", "Nov 8"];
        const shown = texts.filter((text) => !text.includes(":"));
        expect(shown.length).toBeGreaterThan(4);
        expect(shown).toEqual(days.slice(0, shown.length));
      });

      test("distinguishes calls without a medium from those with the medium (none)", async () => {
        const direct = await newPool({ size: 1, utilization: 1, numbers: 1 });
        const [{ tracking_number = "" } = {}] = await direct.pass({ "(direct) / (none)": 500 });
        await holdSince(service.server, direct, "3 hours");
        for (const hours of [0, 1]) {
          const started_at = new Date(Date.now() - hours * 3_600_000).toISOString();
          await api.createCall({ call_id: `medium-${hours}`, tracking_number, started_at, ended_at: started_at });
        }
        await using tab = await openTab(`accounts/${direct.account.account_token}/report?by=medium`);
        const names = async (selector: string) => (await tab.page.locator(selector).allTextContents()).toSorted();
        expect(await names("tbody th")).toEqual(["(none)", "no medium"]);
        expect(await names(".bar-name")).toEqual(["(none)", "no medium"]);
        const download = tab.page.waitForEvent("download");
        await tab.page.getByRole("button", { name: "Download CSV" }).click();
        const lines = (await (await (await download).createReadStream()).toArray()).join("").split("\r\n");
        expect(lines.map((line) => line.split(",")[0]).toSorted()).toEqual(["", "", "(none)", "\ufeffmedium"]);
      });

      test.for(["Report", "Sign out"])("aborts a download when the user leaves the page by %s", async (way) => {
        await using tab = await openNewTab(`${place}/calls`);
        const { page } = tab;
        const saved: string[] = [];
        page.on("download", (download) => saved.push(download.suggestedFilename()));
        const answers = await holdAnswers(page, "ExportCalls");
        await page.getByRole("button", { name: "Download CSV" }).click();
        await answers.arrived(1);
        const ended = page.waitForEvent("requestfailed", (request) => request.url().endsWith("ExportCalls"));
        await page.getByText(way, { exact: true }).click();
        await ended;
        expect(saved).toEqual([]);
      });

      test("reports the failure of an action that the user started before leaving the page", async () => {
        const [number, areaCode] = [uniqueNumber(), "98764"];
        await api.addTrackingNumbers({ tracking_numbers: [{ phone_number: number, area_code: areaCode }] });
        await using tab = await openTab("inventory");
        const { page } = tab;
        const retirements = await holdAnswers(page, "RetireTrackingNumber");
        await page.getByRole("button", { name: areaCode }).click();
        await page.getByRole("button", { name: `Retire ${number}` }).click();
        await page.getByRole("button", { name: "Retire number" }).click();
        await retirements.arrived(1);
        await page.keyboard.press("Escape");
        await page.getByRole("dialog").waitFor({ state: "detached" });
        retirements.lose();
        await page.getByText(`Retiring ${number}: no answer`).waitFor();
        expect(await tab.findAxeViolations()).toEqual([]);
        await page.getByRole("button", { name: "Dismiss" }).click();
        expect(await page.getByText(": no answer").count()).toBe(0);
        await tab.open("accounts");
        const creations = await holdAnswers(page, "CreateAccount");
        await submit(page, { "Account token": uniqueToken() }, "Create account");
        await creations.arrived(1);
        await page.getByRole("link", { name: "Try it" }).click();
        await page.getByText("What would this visitor see?").waitFor();
        creations.lose();
        await page.getByText("Creating the account: no answer").waitFor();
        await page.getByRole("button", { name: "Sign out" }).click();
        await page.getByLabel("API key").fill(admin);
        await page.keyboard.press("Enter");
        await page.getByText("What would this visitor see?").waitFor();
        expect(await page.getByText(": no answer").count()).toBe(0);
      });

      test("stays on the page to which the user navigated while a pool was being created", async () => {
        const { account, number } = await newAccountWithNumber(api);
        const at = `accounts/${account.account_token}/pools`;
        await using tab = await openTab(`${at}/new?number=${encodeURIComponent(number)}`);
        const { page } = tab;
        const creations = await holdAnswers(page, "CreatePool");
        await submit(page, { "Area code": "415", Property: "shop" }, "Create pool");
        await creations.arrived(1);
        await page.getByRole("link", { name: account.account_token }).click();
        await page.getByText("No pools yet").waitFor();
        creations.release();
        await page
          .getByText(`0 / 10`)
          .or(page.getByRole("heading", { name: "Sources" }))
          .waitFor();
        expect(page.url()).toMatch(new RegExp(`${at}$`));
      });

      test("moves between the pages of a list by keyboard", async () => {
        const account = await newAccount(api);
        await addNumbers(service.server, account, 501);
        await using tab = await openTab();
        const { page } = tab;
        await tab.open(`accounts/${account.account_token}/numbers`);
        await page.getByRole("button", { name: "Next" }).press("Enter");
        await page.getByText("+1 900 000 0501").waitFor();
        expect(await readFocus(page)).toBe("Next");
        await page.keyboard.press("Shift+Tab");
        await page.keyboard.press("Enter");
        await page.getByText("+1 900 000 0001").waitFor();
        expect(await readFocus(page)).toBe("Previous");
      });

      test("skips no page of the deliveries if Next is pressed twice", async () => {
        const { account_token: account_id } = await newAccount(api);
        const { webhook_endpoint } = await api.createWebhookEndpoint({
          ...{ account_id, url: "https://example.com", types: ["account.*"] },
        });
        const name = { account_id, webhook_endpoint_id: webhook_endpoint.id };
        for (let count = 0; count < 101; count++) await api.testWebhookEndpoint(name);
        await using tab = await openNewTab(`accounts/${account_id}/webhook-endpoints/${webhook_endpoint.id}`);
        const { page } = tab;
        const lists = await holdAnswers(page, "ListWebhookDeliveries");
        const pager = page.getByRole("navigation", { name: "Pages of deliveries" });
        await pager.getByRole("button", { name: "Next" }).click();
        await expect.poll(() => lists.count()).toBeGreaterThan(0);
        await pager.getByRole("button", { name: "Next" }).press("Enter");
        const rows = page.getByRole("region", { name: "Deliveries", exact: true }).locator("tbody tr");
        const countRows = () => {
          lists.release();
          return rows.count();
        };
        await expect.poll(countRows).toBe(1);
        expect(await pager.innerText()).toContain("Page 2");
      });

      test("applies no update before its plan is shown", async () => {
        await using tab = await openTab();
        const { page } = tab;
        await tab.open(poolPlace("/resize"));
        const gate = Promise.withResolvers<void>();
        await page.route("**/PlanPoolUpdate", async (route) => {
          await gate.promise;
          await route.continue();
        });
        const apply = page.getByRole("button", { name: "Apply update" });
        await page.getByLabel("Size", { exact: true }).fill("8");
        await page.getByRole("heading", { name: "Effect of this update" }).waitFor();
        expect(await apply.isDisabled()).toBe(true);
        gate.resolve();
        await expect.poll(() => apply.isDisabled()).toBe(false);
      });

      test("requests filtered accounts when the user stops typing", async () => {
        await using tab = await openTab();
        await tab.open("accounts");
        const requests: string[] = [];
        tab.page.on("request", (request) => requests.push(request.url()));
        await tab.page.getByLabel("Account token begins with").pressSequentially("no-such-account");
        await tab.page.getByText("No account matches").waitFor();
        expect(requests.length).toBeLessThan("no-such-account".length);
      });

      test("downloads the calls and the report as CSV", async () => {
        await using tab = await openTab();
        for (const [path, line] of [
          ["calls", /^\ufeffstarted_at,.*\r\n\S+,.*answered,\+14155550199/s],
          ["report", /^\ufeffsource,calls.*\r\ngoogle,2/s],
        ] as const) {
          await tab.open(`${place}/${path}`);
          const download = tab.page.waitForEvent("download");
          await tab.page.getByRole("button", { name: "Download CSV" }).click();
          const stream = await (await download).createReadStream();
          expect((await stream.toArray()).join("")).toMatch(line);
        }
      });

      // Runs last, because the inventory page of other tests would also read these accounts.
      test("finds the pools that lack numbers among more than 1000 accounts", async () => {
        const { kysely } = service.server.database;
        await sql`
          with added as (
            insert into accounts (account_token)
            select 'many-' || n from generate_series(1, 1045 - (select count(*) from accounts)) n
            returning id, account_token
          )
          insert into account_handles (handle, account_id, account_token)
          select unnest(array[account_token, id::text]), id, account_token from added`.execute(kysely);
        await using tab = await openTabWithoutEvents("inventory");
        const { page } = tab;
        await page.getByText("Only the pools of the first 50 accounts were checked").waitFor();
        const pages: string[] = [];
        page.on("request", (request) => pages.push(request.url().replace(/^.*\//, "")));
        await page.getByRole("button", { name: "Check more accounts" }).click();
        // Waits only for the second page of accounts, because waiting for all pools would take many seconds.
        await expect.poll(() => pages.filter((name) => name === "ListAccounts").length).toBe(2);
      });
    },
    {
      ...{ basePath: "/api", auth: { keys: true, issuer: undefined } },
      ...{ sendsWebhooks: true, allowsPrivateWebhooks: true },
    },
  );

  describe("with an issuer", () => {
    test("signs in by authorization code with PKCE, and returns to the same place", async () => {
      const issuer = await startIssuer();
      onTestFinished(issuer.stop);
      const settings = { ...issuer.settings, clientId: "console", signInScope: "openid api://calltrack/.default" };
      const server = await startTestServer("postgres", { auth: { keys: false, issuer: settings } });
      onTestFinished(server.stop);
      await using tab: ConsoleTab = await openConsoleTab(browser(), `${server.url}/console/`);
      const { page } = tab;
      await page.goto(`${server.url}/console/#/inventory`);
      await page.getByRole("button", { name: /^Sign in with/ }).click();
      await page.getByText("The inventory is empty").waitFor();
      expect(page.url()).toBe(`${server.url}/console/#/inventory`);
      expect(issuer.authorizations.map((each) => each.get("scope"))).toEqual([settings.signInScope]);
      expect(tab.complaints.filter((each) => !each.startsWith(new URL(settings.issuer).origin))).toEqual([]);
      await using broken = await openConsoleTab(browser(), `${server.url}/console/`);
      await broken.page.route("**/oidc-*.js", (route) => route.abort());
      await broken.page.goto(`${server.url}/console/?code=a&state=b`);
      await broken.page.getByText("The console could not be loaded. Reload the page.").waitFor();
    });
  });
});

/** A program to which webhook endpoints send events. */
interface Receiver {
  readonly url: string;
  /** The number of requests received so far. */
  count(): number;
  /** Accepts all further requests. Until then, responds with a script and the status 503. */
  accept(): void;
  stop(): void;
}

async function startReceiver(): Promise<Receiver> {
  let count = 0;
  let accepts = false;
  const server = createServer((request, response) => {
    count++;
    request.resume();
    response.writeHead(accepts ? 204 : 503).end(accepts ? undefined : `${HOSTILE} ${"busy ".repeat(40)}`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => count,
    accept() {
      accepts = true;
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Moves the start of a pool's hold on its numbers into the past, by `length`. Calls in the added time belong to the pool, without a source. */
async function holdSince({ database }: TestServer, { account, pool }: TrackedPool, length: string): Promise<void> {
  const ofPool = sql`account_id = ${account.id} and pool_id = ${pool.id}`;
  await sql`update tracking_number_holders set held_from = held_from - ${length}::interval where ${ofPool}`.execute(
    database.kysely,
  );
  await sql`update call_tracker_changes set occurred_at = occurred_at - ${length}::interval where ${ofPool} and kind = 'added'`.execute(
    database.kysely,
  );
}

/** Intercepted requests from a page for one method. The test decides when each request gets a response, and whether it gets one. */
interface HeldAnswers {
  /** The number of requests intercepted so far. */
  count(): number;
  /** Waits until the page has sent `count` requests. */
  arrived(count: number): Promise<void>;
  /** Passes the last request on to the server. */
  release(): void;
  /** Passes the last request on to the server, and drops the response. */
  lose(): void;
}

/** Intercepts the requests from a page for a method. */
async function holdAnswers(page: Page, method: string): Promise<HeldAnswers> {
  const held: ((isLost: boolean) => void)[] = [];
  await page.route(`**/${method}`, async (route) => {
    const isLost = await new Promise<boolean>((resolve) => held.push(resolve));
    if (!isLost) return route.continue();
    await route.fetch();
    await route.abort();
  });
  return {
    count: () => held.length,
    arrived: (count) => expect.poll(() => held.length).toBe(count),
    release: () => held.at(-1)?.(false),
    lose: () => held.at(-1)?.(true),
  };
}

/**
 * Finds controls that are outside the screen or outside the scrolling frame around them. Also finds frames whose content is wider than the frame.
 * Charts are exempt, because they scroll by design.
 */
async function findCutOff(page: Page): Promise<unknown> {
  return page.evaluate(`(() => {
    const isCut = (inner, outer) => inner.left < outer.left - 1 || inner.right > outer.right + 1;
    const screen = { left: 0, right: document.documentElement.clientWidth };
    const controls = Array.from(document.querySelectorAll("a, button, input, select, summary, [tabindex]"));
    const cut = controls.filter((each) => {
      const box = each.getBoundingClientRect();
      const frame = each.parentElement?.closest(".table-frame, .main-nav, .tabs")?.getBoundingClientRect();
      return box.width > 0 && (isCut(box, screen) || (frame && isCut(box, frame)));
    });
    const frames = Array.from(document.querySelectorAll("html, .table-frame, .main-nav, .tabs"));
    const scrolling = frames.filter((each) => each.scrollWidth > each.clientWidth);
    return [...cut, ...scrolling].map((each) => each.tagName + " " + each.className + " " + (each.textContent ?? "").slice(0, 40));
  })()`);
}

/** Formats a time in the time zone of the tests' browser, for an input of a local time. */
function inTokyo(time: Date): string {
  return new Date(time.getTime() + 9 * 3_600_000).toISOString().slice(0, 16);
}

/** Registers numbers for an account, from +19000000001 on. */
async function addNumbers({ database }: TestServer, { id }: AccountJson, count: number): Promise<void> {
  await sql`
    insert into phone_numbers (account_id, phone_number)
    select ${id}::integer, '+' || (19000000000 + n) from generate_series(1, ${count}::integer) n`.execute(
    database.kysely,
  );
}

/** Adds changes to the history of a pool, each with a different number, from +19000000001 on. */
async function addChanges({ database }: TestServer, { account, pool }: TrackedPool, count: number): Promise<void> {
  await sql`
    insert into call_tracker_changes (account_id, pool_id, call_tracker_id, tracking_number, kind, reason)
    select ${account.id}::integer, ${pool.id}::uuid, ${pool.id}::uuid, '+' || (19000000000 + n), 'added', 'a test'
    from generate_series(1, ${count}::integer) n`.execute(database.kysely);
}

/** Returns the visible rows of a scrolling table, as `index: number` with the ARIA row index. Omits the blank parts of the table. */
async function readVisibleRows(frame: Locator): Promise<readonly string[]> {
  const rows = await frame.evaluate((element) => {
    const { left, top, height } = element.getBoundingClientRect();
    const heads = Array.from({ length: Math.floor(height / 20) }, (_, step) =>
      element.ownerDocument
        .elementFromPoint(left + 20, top + 20 * step)
        ?.closest("tr[aria-rowindex]")
        ?.querySelector("th"),
    );
    return heads.map((head) => head && `${head.closest("tr")?.getAttribute("aria-rowindex")}: ${head.textContent}`);
  });
  return Array.from(new Set(rows.filter((row) => typeof row === "string"))).map((row) => row.replaceAll("\u00a0", " "));
}

/**
 * Returns a pattern for the row whose index is at the start of `row`, such as `2: `. It matches if the row shows the phone number that was added for
 * that index. The header row has the index 1.
 */
function rowWithItsNumber(row: string): RegExp {
  const number = String(Number.parseInt(row, 10) - 1).padStart(7, "0");
  return new RegExp(`: \\+1 900 ${number.slice(0, 3)} ${number.slice(3)}$`);
}

/** Waits until the browser has drawn the page. It then removes the focus from an element that can no longer have it. */
async function waitForFrame(page: Page): Promise<void> {
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
}

/** Returns the label or text of the focused element. */
async function readFocus(page: Page): Promise<unknown> {
  return page.evaluate("(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim()");
}

const MAX_TABS = 60;

/** Presses Tab until an element with the text is focused. */
async function tabTo(page: Page, text: string): Promise<void> {
  for (let presses = 0; presses < MAX_TABS; presses++) {
    await page.keyboard.press("Tab");
    if ((await readFocus(page)) === text) return;
  }
  throw new Error(`${text} cannot be reached with the Tab key`);
}

/** Fills the fields with these labels, and presses the button. */
async function submit(page: Page, values: Readonly<Record<string, string>>, button: string): Promise<void> {
  for (const [label, value] of Object.entries(values)) await page.getByLabel(label, { exact: true }).fill(value);
  await page.getByRole("button", { name: button }).click();
}

/** Expects the input of a field to show the API's message about the field. */
async function expectProblem(page: Page, label: string, text: string): Promise<void> {
  const input = page.getByLabel(label, { exact: true });
  await expect.poll(() => input.getAttribute("aria-invalid")).toBe("true");
  const note = await input.getAttribute("aria-describedby");
  expect(await page.locator(`[id="${note}"]`).innerText()).toContain(text);
}
