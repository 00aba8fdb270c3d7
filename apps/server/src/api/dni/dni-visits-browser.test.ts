import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { describeInBrowser } from "../../testing/browser.js";
import { createNumbersJson, expectSwapped, SHOP_PAGE, visitShop } from "../../testing/test-shop.js";

const SCRIPT_TAG = '<script async src="DNI_SCRIPT" data-account="acme" data-property="acme.example"></script>';

const README = await readFile(new URL("../../../../../packages/dni-script/README.md", import.meta.url), "utf8");

/** Returns the script tag of a section of the README, with the test's address and property. */
function findTag(section: string): string {
  const [, tag = ""] = new RegExp(`### ${section}\n.*?(<script[^>]*></script>)`, "s").exec(README) ?? [];
  return tag
    .replace("https://calls.example.com/dni.js", "DNI_SCRIPT")
    .replace("ACCOUNT", "acme")
    .replace("PROPERTY_TOKEN", "acme.example");
}

/** The tag that WordPress 6.3 writes for `wp_enqueue_script`. */
const WORDPRESS_TAG =
  '<script type="text/javascript" src="DNI_SCRIPT?account=acme&#038;property=acme.example" id="calltrack-js" async="async" data-wp-strategy="async"></script>';

describeInBrowser("the visits that the script reports", (browser) => {
  test.each([
    ["if the server responds", true],
    ["if the server does not respond", false],
  ])("are reported once each despite reloads, %s", async (_, answers) => {
    const { shop, page } = await visitShop(browser());
    if (!answers) shop.answer = () => {};
    await page.goto(`${shop.url}/?gclid=1`);
    await expect.poll(() => shop.visits).toHaveLength(1);
    for (let time = 0; time < 2; time++) await page.reload({ waitUntil: "load" });
    // Visits arrive in order. When the visit from this page has arrived, all earlier visits have arrived.
    await page.goto(`${shop.url}/?msclkid=2`);
    await expect.poll(() => shop.visits.at(-1)).toMatchObject({ visit: { evidence: { click_ids: ["msclkid"] } } });
    expect(shop.visits).toHaveLength(2);
  });

  test.each<[name: string, tag: string, isCopied: (attribute: string) => boolean]>([
    ["as it is", SCRIPT_TAG, () => true],
    [
      "as Google Tag Manager does, which drops data attributes",
      findTag("Google Tag Manager"),
      (name) => !/^data-/.test(name),
    ],
    ["with the settings in its address as WordPress writes it", WORDPRESS_TAG, () => true],
    ["as Cookiebot does after consent", findTag("Cookiebot"), (name) => name !== "type"],
    ["as OneTrust does after consent", findTag("OneTrust"), (name) => name !== "type"],
  ])("include the visit of a page that adds the script after loading, %s", async (_, tag, isCopied) => {
    const { shop, page, complaints } = await visitShop(browser(), SHOP_PAGE.replace(SCRIPT_TAG, ""));
    await page.goto(`${shop.url}/?gclid=1`, { waitUntil: "load" });
    // Scripts do not run in HTML that a script inserts, so tag managers create them again.
    const attributes = await page.evaluate<[string, string][]>(`{
      const snippet = document.createElement("div");
      snippet.innerHTML = ${JSON.stringify(tag.replace("DNI_SCRIPT", shop.script))};
      [...snippet.querySelector("script").attributes].map(({ name, value }) => [name, value]);
    }`);
    await page.evaluate(`{
      const script = document.createElement("script");
      for (const [name, value] of ${JSON.stringify(attributes.filter(([name]) => isCopied(name)))}) {
        script.setAttribute(name, value);
      }
      document.head.append(script);
    }`);
    await expectSwapped(page, "google");
    await expect.poll(() => shop.visits).toMatchObject([{ visit: { evidence: { click_ids: ["gclid"] } } }]);
    expect(shop.lookups[0]).toContain("/accounts/acme/properties/acme.example/");
    expect(complaints).toEqual([]);
  });

  test("begin only when a page loads the script after consent, and once if it does so again", async () => {
    const [, load = ""] = /### Google consent mode.*?<script>(.*?)<\/script>/s.exec(README) ?? [];
    const { shop, page } = await visitShop(browser(), SHOP_PAGE.replace(SCRIPT_TAG, ""));
    await page.goto(`${shop.url}/?gclid=1`, { waitUntil: "load" });
    expect(await page.evaluate("sessionStorage.length")).toBe(0);
    const consent = load
      .replace("https://calls.example.com/dni.js", shop.script)
      .replace("ACCOUNT", "acme")
      .replace("PROPERTY_TOKEN", "acme.example");
    await page.evaluate(`{ ${consent} loadCalltrack(); loadCalltrack(); }`);
    await expectSwapped(page, "google");
    await expect.poll(() => shop.visits).toMatchObject([{ visit: { evidence: { click_ids: ["gclid"] } } }]);
    expect(shop.lookups).toHaveLength(1);
  });

  test("have the campaign of the address that the page was opened by, which a router changed", async () => {
    const cleaner = '<script nonce="shop">history.replaceState({}, "", "/boots")</script>';
    const { shop, comeFromGoogle } = await visitShop(browser(), SHOP_PAGE.replace(SCRIPT_TAG, cleaner + SCRIPT_TAG));
    await comeFromGoogle();
    await expect.poll(() => shop.visits).toMatchObject([{ visit: { evidence: { click_ids: ["gclid"] } } }]);
  });

  test("do not include a page that is prerendered, until it is shown", async () => {
    const { shop, page } = await visitShop(browser());
    // A browser does not prerender pages while a tool controls it, so the test simulates prerendering.
    await page.addInitScript({
      content: `Object.defineProperty(document, "prerendering", { configurable: true, value: true });`,
    });
    await page.goto(`${shop.url}/?gclid=1`, { waitUntil: "load" });
    await page.waitForSelector("#late-link");
    expect([shop.lookups, shop.visits]).toEqual([[], []]);
    await page.evaluate(`delete document.prerendering; document.dispatchEvent(new Event("prerenderingchange")); true`);
    await expectSwapped(page, "google");
    await expect.poll(() => shop.visits).toHaveLength(1);
  });

  test("include no crawlers, which see the original numbers", async () => {
    const { shop, page } = await visitShop(browser(), SHOP_PAGE, {
      userAgent: "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    });
    const reported = page.waitForResponse("**/visits");
    shop.answer = (response, _, decision) => response.end(JSON.stringify({ ...decision, numbers: [] }));
    await page.goto(`${shop.url}/?gclid=1`);
    await reported;
    expect(await page.locator("#head-link span").textContent()).toBe("+1 222-333-4444");
    expect(shop.visits).toEqual([]);
  });

  test("tell the server which referrers to ignore, and do not count the return from them", async () => {
    const tag = SCRIPT_TAG.replace("data-account", 'data-ignore-referrers="bank.example, pay.example" data-account');
    const { shop, page } = await visitShop(browser(), SHOP_PAGE.replace(SCRIPT_TAG, tag));
    const reported = page.waitForResponse("**/visits");
    await page.goto(shop.url, { referer: "https://www.pay.example/done?order=7" });
    await reported;
    expect(shop.evidence).toMatchObject([{ evidence: { ignored_referrers: ["bank.example", "pay.example"] } }]);
    expect(shop.visits).toEqual([]);
  });

  test("continue on another host of the site, in a new tab, after a payment and on the way back", async () => {
    const { shop, page, context, complaints } = await visitShop(browser());
    const { port } = new URL(shop.url);
    const [www, book] = [`http://www.shop.localhost:${port}`, `http://book.shop.localhost:${port}`];
    const reported = { referrer: "https://www.google.com", page: www, click_ids: ["gclid"] };
    const addLink = (address: string) =>
      page.evaluate(`document.body.insertAdjacentHTML("afterbegin",
        '<a href="${address}"><b id="to-host">Book</b></a>'); true`);

    await page.goto(`${www}/?gclid=1`, { referer: "https://www.google.com/" });
    await expectSwapped(page, "google");
    await addLink(`${book}/rooms?beds=2#prices`);
    await page.click("#to-host");
    await page.waitForURL(`${book}/rooms?beds=2#prices`);
    await expectSwapped(page, "google");
    expect(shop.evidence[1]).toMatchObject({ evidence: { utm_source: "google", utm_medium: "cpc", page: book } });

    await page.goto(`${book}/thanks`, { referer: "https://checkout.stripe.com/" });
    await expectSwapped(page, "google");
    await addLink(`${www}/`);
    // Opens the tab itself, because the tabs that a middle click opens in the background crash in Chromium's headless shell 150.
    await page.evaluate(`addEventListener("auxclick", (event) => event.preventDefault()); true`);
    await page.click("#to-host", { button: "middle" });
    const tab = await context.newPage();
    await tab.goto((await page.getAttribute("a:has(#to-host)", "href")) ?? "", { referer: `${book}/` });
    await tab.waitForURL(`${www}/`);
    await expectSwapped(tab, "google");
    await addLink(`${www}/cart`);
    await page.click("#to-host");
    await page.waitForURL(`${www}/cart`);
    await expectSwapped(page, "google");
    // In the first tab, the script still has the visit on the first host, so it sends no further evidence.
    expect(shop.evidence).toHaveLength(3);
    expect(shop.visits).toMatchObject([{ visit: { evidence: reported } }]);
    expect(complaints).toEqual([]);
  });

  test("are separate per property, even on one page", async () => {
    const both = SCRIPT_TAG + SCRIPT_TAG.replace("acme.example", "other/example");
    const { shop, page } = await visitShop(browser(), SHOP_PAGE.replace(SCRIPT_TAG, both));
    const properties = () => new Set(shop.lookups.map((url) => url.replace(/\/(numbers\?|visits:).*/, "")));
    for (const path of ["/?gclid=1", "/cart"]) {
      await page.goto(shop.url + path);
      await expect.poll(() => shop.visits).toHaveLength(2);
    }
    expect(new Set(shop.visits.map(({ visit }) => (visit as { event_id: string }).event_id)).size).toBe(2);
    const base = "/api/dni_manager/accounts/acme/properties";
    await expect.poll(properties).toEqual(new Set([`${base}/acme.example`, `${base}/other%2Fexample`]));
  });

  test("keep the numbers of the previous page, and show new ones on the next page", async () => {
    const { shop, page } = await visitShop(browser());
    const showsGerman = async () => (await page.locator("body").innerText()).replace(/\D/g, "").includes("309876543");
    shop.answer = (response, _source, decision) => {
      const { numbers, ...decided } = JSON.parse(createNumbersJson("+15556667777", decision));
      response.end(JSON.stringify({ ...decided, numbers: numbers.slice(0, 1) }));
    };
    await page.goto(`${shop.url}/?gclid=1`);
    await expect.poll(() => page.locator("#head-link span").textContent()).toBe("+1 555-666-7777");
    shop.answer = (response) => response.end(createNumbersJson("+15556667777"));
    await page.goto(`${shop.url}/cart`);
    await expect.poll(() => page.evaluate("Object.values(sessionStorage).join()")).toContain("+49309876543");
    expect(await showsGerman()).toBe(false);
    await page.goto(`${shop.url}/cart`);
    await expect.poll(showsGerman).toBe(true);
  });

  test("work if the storage is full", async () => {
    const { shop, context, complaints, comeFromGoogle } = await visitShop(browser());
    await context.addInitScript({
      content: `Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };
        Object.defineProperty(window, "sessionStorage", { value: new Proxy({}, {
          set() { throw new DOMException("full", "QuotaExceededError"); },
        }) });`,
    });
    await comeFromGoogle();
    await expect.poll(() => shop.visits).toMatchObject([{ visit: { evidence: { click_ids: ["gclid"] } } }]);
    expect(complaints).toEqual([]);
  });
});
