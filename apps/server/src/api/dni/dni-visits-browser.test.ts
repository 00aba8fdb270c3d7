import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findBrowser, startBrowser } from "../../testing/browser.js";
import { expectSwapped, numbersJson, openVisitor, SHOP_PAGE, startShop } from "../../testing/test-shop.js";

const browserPath = findBrowser();

/** CI installs a browser, so a missing one fails there instead of skipping the tests. */
const skipped = browserPath === undefined && process.env.CI !== "true";

const SCRIPT_TAG = '<script async src="DNI_SCRIPT" data-account="acme" data-property="acme.example"></script>';

describe.skipIf(skipped)("the visits that the script reports", () => {
  let browser: Browser;

  beforeAll(async () => {
    if (browserPath === undefined) throw new Error("no Chromium or Chrome is on this machine");
    browser = await startBrowser(browserPath);
  });

  afterAll(() => browser?.close());

  test.each([
    ["if the server responds", true],
    ["if the server does not respond", false],
  ])("are reported once each despite reloads, %s", async (_, answers) => {
    await using shop = await startShop();
    if (!answers) shop.answer = () => {};
    await using visitor = await openVisitor(browser);
    const { page } = visitor;
    await page.goto(`${shop.url}/?gclid=1`);
    await expect.poll(() => shop.visits).toHaveLength(1);
    for (let time = 0; time < 2; time++) await page.reload({ waitUntil: "load" });
    // Visits arrive in order, so all earlier ones have arrived too.
    await page.goto(`${shop.url}/?msclkid=2`);
    await expect.poll(() => shop.visits.at(-1)).toMatchObject({ visit: { source: "bing" } });
    expect(shop.visits).toHaveLength(2);
  });

  test("include the visit of a page that adds the script after loading", async () => {
    await using shop = await startShop(SHOP_PAGE.replace(SCRIPT_TAG, ""));
    await using visitor = await openVisitor(browser);
    const { page } = visitor;
    await page.goto(`${shop.url}/?gclid=1`, { waitUntil: "load" });
    await page.evaluate(`{
      const script = document.createElement("script");
      script.src = "${shop.script}";
      script.dataset.account = "acme";
      script.dataset.property = "acme.example";
      document.head.append(script);
    }`);
    await expectSwapped(page, "google");
    await expect.poll(() => shop.visits).toMatchObject([{ visit: { source: "google" } }]);
  });

  test("are separate per property, even on one page", async () => {
    const both = SCRIPT_TAG + SCRIPT_TAG.replace("acme.example", "other/example");
    await using shop = await startShop(SHOP_PAGE.replace(SCRIPT_TAG, both));
    await using visitor = await openVisitor(browser);
    const { page } = visitor;
    const properties = () => new Set(shop.lookups.map((url) => url.replace(/\/numbers\?.*/, "")));
    for (const path of ["/?gclid=1", "/cart"]) {
      await page.goto(shop.url + path);
      await expect.poll(() => shop.visits).toHaveLength(2);
    }
    expect(new Set(shop.visits.map(({ visit }) => (visit as { event_id: string }).event_id)).size).toBe(2);
    const base = "/api/dni_manager/accounts/acme/properties";
    await expect.poll(properties).toEqual(new Set([`${base}/acme.example`, `${base}/other%2Fexample`]));
  });

  test("keep the numbers of the previous page, and show new ones on the next page", async () => {
    await using shop = await startShop();
    await using visitor = await openVisitor(browser);
    const { page } = visitor;
    const all = numbersJson("+15556667777");
    const showsGerman = async () => (await page.locator("body").innerText()).replace(/\D/g, "").includes("309876543");
    shop.answer = (response) => response.end(JSON.stringify(JSON.parse(all).slice(0, 1)));
    await page.goto(`${shop.url}/?gclid=1`);
    await expect.poll(() => page.locator("#head-link span").textContent()).toBe("+1 555-666-7777");
    shop.answer = (response) => response.end(all);
    await page.goto(`${shop.url}/cart`);
    await expect.poll(() => page.evaluate("Object.values(sessionStorage).join()")).toContain("+49309876543");
    expect(await showsGerman()).toBe(false);
    await page.goto(`${shop.url}/cart`);
    await expect.poll(showsGerman).toBe(true);
  });

  test("work if the storage is full", async () => {
    await using shop = await startShop();
    await using visitor = await openVisitor(browser);
    const { page, context, complaints } = visitor;
    await context.addInitScript({
      content: `Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };
        Object.defineProperty(window, "sessionStorage", { value: new Proxy({}, {
          set() { throw new DOMException("full", "QuotaExceededError"); },
        }) });`,
    });
    await page.goto(`${shop.url}/?gclid=1`);
    await expectSwapped(page, "google");
    await expect.poll(() => shop.visits).toMatchObject([{ visit: { source: "google" } }]);
    expect(complaints).toEqual([]);
  });
});
