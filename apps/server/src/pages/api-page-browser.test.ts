import type { OpenApiOperation } from "@calltrack/transcoding/openapi";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../config/config.js";
import { findBrowser, startBrowser } from "../testing/browser.js";
import { startTestServer, type TestServer } from "../testing/test-server.js";
import { createApiDocument } from "./api-document.js";

const browserPath = findBrowser();

/** CI installs a browser, so a missing browser fails there instead of skipping the tests. */
const skipped = browserPath === undefined && process.env.CI !== "true";

const reason = "no Chromium or Chrome is on this machine; install one, or set CHROMIUM_PATH";

if (skipped) console.log(`the API page is not tested in a browser: ${reason}`);

/** A page, with its console errors and its requests to other origins. */
interface WatchedPage extends AsyncDisposable {
  readonly page: Page;
  readonly complaints: readonly string[];
}

/** The ids of all operations. */
const OPERATIONS = Object.values(createApiDocument(readConfig({})).paths)
  .flatMap((item) => Object.values(item) as OpenApiOperation[])
  .map(({ operationId }) => operationId);

const VIEWS = [400, 1280].flatMap((width) => (["light", "dark"] as const).map((scheme) => [width, scheme] as const));

describe.skipIf(skipped)(`the API page in a browser${skipped ? ` (${reason})` : ""}`, () => {
  let server: TestServer;
  let browser: Browser;

  beforeAll(async () => {
    if (browserPath === undefined) throw new Error(reason);
    [server, browser] = await Promise.all([
      startTestServer("postgres", { basePath: "/api" }),
      startBrowser(browserPath),
    ]);
  });

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  async function openPage(id = "", width = 1280, colorScheme: "light" | "dark" = "light"): Promise<WatchedPage> {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => {
      if (!request.url().startsWith(server.url)) complaints.push(request.url());
    });
    await page.addInitScript({
      content: 'addEventListener("securitypolicyviolation", (event) => console.error("blocked", event.blockedURI))',
    });
    await page.goto(`${server.url}/docs${id}`);
    await page.waitForSelector("main h1, main article");
    return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
  }

  const post = (path: string, body: unknown) =>
    fetch(`${server.url}/api${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });

  test.each(VIEWS)("shows every operation, %d pixels wide and %s", async (width, scheme) => {
    await using watched = await openPage("", width, scheme);
    const { page, complaints } = watched;
    const links = page.locator("nav a");
    const shown = await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")?.slice(1)));
    expect(shown.toSorted()).toEqual(OPERATIONS.toSorted());
    for (const id of OPERATIONS) {
      await page.evaluate(`location.hash = "${id}"`);
      await page.waitForSelector(`article#${id} .samples pre:not(:empty)`);
      expect(await page.evaluate("document.documentElement.scrollWidth"), id).toBe(width);
    }
    expect(complaints).toEqual([]);
  });

  test("finds operations by any of their words", async () => {
    await using watched = await openPage();
    const { page } = watched;
    await page.fill("nav input", "retire inventory");
    const found = await page
      .locator("nav a:visible")
      .evaluateAll((all) => all.map((link) => link.getAttribute("href")));
    expect(found).toEqual(["#retireTrackingNumber"]);
  });

  test("creates an account with the unchanged example, and fills its id into other operations", async () => {
    await using watched = await openPage("#createAccount");
    const { page, complaints } = watched;
    await page.click("button.send");
    expect(await page.textContent(".response .status")).toContain("201");
    await page.evaluate('location.hash = "createPhoneNumber"');
    const account = page.locator("#createPhoneNumber input[name=account_id]");
    await expect.poll(() => account.inputValue()).toBe("acme");
    expect(await page.inputValue("#createPhoneNumber input[name=Idempotency-Key]")).toBe("");
    await page.click("button.send");
    expect(await page.textContent(".response .status")).toContain("201");
    expect(complaints).toEqual([]);
  });

  test("fills in the ids of an account that has the resource", async () => {
    for (const token of ["no-pools", "with-pools"]) await post("/call_tracking/accounts", { account_token: token });
    const path = "/dni_manager/accounts/with-pools";
    await post(`${path}/phone_numbers`, { phone_number: "+13334445555" });
    const flags = { is_dni: true, is_prompted: false, is_recorded: false };
    const pool = { original_number: "+13334445555", area_code: "333", size: 1, pool_type: "manual", ...flags };
    const { id } = (await (await post(`${path}/pools`, pool)).json()) as { id: string };
    await using watched = await openPage("#getPool");
    const { page } = watched;
    await expect.poll(() => page.inputValue("#getPool input[name=pool_id]")).toBe(id);
    expect(await page.inputValue("#getPool input[name=account_id]")).toBe("with-pools");
  });

  test("leaves the id of a resource empty if none exists, and asks for it", async () => {
    await using watched = await openPage("#getApiKey");
    const { page, complaints } = watched;
    await page.locator("#getApiKey form").evaluate((form) => form.setAttribute("novalidate", ""));
    await page.click("button.send");
    await expect.poll(() => page.textContent(".try-it .note")).toBe("Enter a value for api_key_id.");
    expect(complaints).toEqual([]);
  });

  test("shows the beginning of a long response, and says so", async () => {
    const numbers = Array.from({ length: 1000 }, (_, index) => `+1222555${String(index).padStart(4, "0")}`);
    await post("/dni_manager/tracking_numbers:add", {
      tracking_numbers: numbers.map((phone_number) => ({ phone_number, area_code: "222" })),
    });
    await using watched = await openPage("#listTrackingNumbers");
    const { page } = watched;
    await page.click("button.send");
    expect(await page.textContent(".response .note")).toMatch(/^The first 50,000 of \d{3},\d{3} characters\./);
  });

  test("follows the form in the code samples", async () => {
    await using watched = await openPage("#listPools");
    const { page } = watched;
    await page.fill("input[name=account_id]", "globex");
    await page.fill("input[name=page_size]", "5");
    const samples = page.locator(".samples");
    for (const [language, line] of [
      ["curl", `curl '${server.url}/api/dni_manager/accounts/globex/pools?page_size=5'`],
      ["JavaScript", "await fetch("],
      ["Python", "urlopen(request)"],
      ["grpcurl", "calltracking.v1.PoolService/ListPools"],
      ["buf curl", `${server.url}/calltracking.v1.PoolService/ListPools`],
    ] as const) {
      await samples.locator("button", { hasText: new RegExp(`^${language}$`) }).click();
      expect(await samples.locator("pre").textContent()).toContain(line);
    }
  });

  test("folds the reasons of errors", async () => {
    await using watched = await openPage("#createPool");
    const { page } = watched;
    const reasons = page.locator("article details", { has: page.locator("summary strong", { hasText: "404" }) });
    expect(await reasons.getAttribute("open")).toBeNull();
    expect(await reasons.locator(".reasons").textContent()).toContain("ACCOUNT_NOT_FOUND");
  });
});
