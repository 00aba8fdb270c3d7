import type { OpenApiOperation } from "@calltrack/transcoding/openapi";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
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

/** The element ids of the operations in Swagger UI. */
const OPERATIONS = Object.values(createApiDocument({ basePath: "", auth: undefined }).paths)
  .flatMap((item) => Object.values(item) as OpenApiOperation[])
  .map(({ tags, operationId }) => `operations-${tags[0]}-${operationId}`);

const VIEWS = [400, 1280].flatMap((width) => (["light", "dark"] as const).map((scheme) => [width, scheme] as const));

describe.skipIf(skipped)(`the API page in a browser${skipped ? ` (${reason})` : ""}`, () => {
  let server: TestServer;
  let browser: Browser;

  beforeAll(async () => {
    if (browserPath === undefined) throw new Error(reason);
    [server, browser] = await Promise.all([
      startTestServer("embedded", { basePath: "/api" }),
      startBrowser(browserPath),
    ]);
  });

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  async function openPage(width = 1280, colorScheme: "light" | "dark" = "light"): Promise<WatchedPage> {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => {
      if (!request.url().startsWith(server.url) && !request.url().startsWith("data:")) complaints.push(request.url());
    });
    await page.addInitScript({
      content: 'addEventListener("securitypolicyviolation", (event) => console.error("blocked", event.blockedURI))',
    });
    await page.goto(`${server.url}/docs`);
    await page.waitForSelector(".opblock");
    return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
  }

  test.each(VIEWS)("shows every operation, %d pixels wide and %s", async (width, scheme) => {
    await using watched = await openPage(width, scheme);
    const { page, complaints } = watched;
    const shown = await page.locator(".opblock").evaluateAll((blocks) => blocks.map((block) => block.id));
    expect(shown.toSorted()).toEqual(OPERATIONS.toSorted());
    await page.locator("#operations-PoolService-createPool .opblock-summary-control").click();
    await page.waitForSelector("#operations-PoolService-createPool .responses-table");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    expect(complaints).toEqual([]);
  });

  test("follows the color scheme of the browser", async () => {
    await using watched = await openPage(1280, "dark");
    const { page } = watched;
    expect(await page.locator("html.dark-mode").count()).toBe(1);
    await page.emulateMedia({ colorScheme: "light" });
    await page.waitForSelector("html:not(.dark-mode)");
  });

  test("creates an account with the unchanged example", async () => {
    await using watched = await openPage();
    const { page, complaints } = watched;
    const operation = page.locator("#operations-AccountService-createAccount");
    await operation.locator(".opblock-summary-control").click();
    await operation.locator("button.execute").click();
    const answer = operation.locator(".live-responses-table");
    await answer.waitFor();
    expect(await answer.locator("tbody .response-col_status").textContent()).toContain("201");
    const response = await fetch(`${server.url}/api/call_tracking/accounts`);
    expect(await response.json()).toMatchObject([{ account_token: "acme", is_active: true }]);
    expect(complaints).toEqual([]);
  });
});
