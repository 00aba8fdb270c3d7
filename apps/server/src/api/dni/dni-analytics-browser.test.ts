import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser } from "../../testing/browser.js";
import { expectSwapped, SHOP_PAGE, type Shop, visitShop } from "../../testing/test-shop.js";

const README = await readFile(new URL("../../../../../packages/dni-script/README.md", import.meta.url), "utf8");

/** The samples for analytics in the README. */
const RECIPES = [...README.matchAll(/```js\n(.*?)```/gs)].map(([, recipe = ""]) => recipe);

/** A script that replaces the page's analytics functions, and records their arguments in `received`. */
const ANALYTICS = `
  window.received = [];
  window.dataLayer = { push: (entry) => received.push(entry) };
  window._paq = { push: (entry) => received.push(entry) };
  window.gtag = (...entry) => received.push(entry);
`;

/** Returns the shop's page with additional attributes in the script tag. */
function pageWith(attributes: string): string {
  return SHOP_PAGE.replace("data-account", `${attributes} data-account`);
}

describeInBrowser("the script beside a page's analytics", (browser) => {
  const number = {
    calltrack_source: "google",
    calltrack_medium: "cpc",
    calltrack_number: "+15556667777",
  };
  const german = { ...number, calltrack_number: "+49309876543" };

  test.each<[name: string, expected: unknown[]]>([
    ["gtag(", [number, german].map((values) => ["event", "calltrack_number", values])],
    ["dataLayer.push(", [number, german].map((values) => ({ event: "calltrack_number", ...values }))],
    ["_paq.push(", ["+15556667777", "+49309876543"].map((each) => ["trackEvent", "Calltrack", "google / cpc", each])],
  ])("reports the numbers by %s on each page", async (name, expected) => {
    const recipe = RECIPES.find((each) => each.includes(name)) ?? "";
    const { shop, page, complaints } = await visitShop(browser());
    await page.addInitScript({ content: ANALYTICS + recipe });
    for (const path of ["/?gclid=1", "/cart"]) {
      await page.goto(shop.url + path);
      await expectSwapped(page, "google");
      expect(await page.evaluate("received")).toEqual(expected);
    }
    expect(complaints).toEqual([]);
  });

  test("reports the numbers once if the tag is inserted again", async () => {
    const { shop, page, comeFromGoogle } = await visitShop(browser());
    await page.addInitScript({
      content: 'window.events = []; document.addEventListener("calltrack", ({ detail }) => events.push(detail))',
    });
    await comeFromGoogle();
    await page.evaluate(`new Promise((resolve) => {
      const script = document.createElement("script");
      script.src = "${shop.script}?account=acme&property=acme.example";
      script.onload = resolve;
      document.head.append(script);
    }).then(() => {})`);
    await expect.poll(() => shop.visits).toHaveLength(1);
    expect(await page.evaluate("events.length")).toBe(1);
    expect(shop.lookups).toHaveLength(1);
  });

  test("calls the page's function with the detail of the event, even when numbers are taken back", async () => {
    const { shop, page, complaints } = await visitShop(browser(), pageWith('data-on-number="record"'));
    await page.clock.install();
    await page.addInitScript({
      content: `window.events = [];
        window.calls = [];
        document.addEventListener("calltrack", ({ detail }) => events.push(detail));
        window.record = (detail) => {
          calls.push(detail);
          if (detail.numbers.length === 0) throw new Error("from the page");
        };`,
    });
    await page.goto(`${shop.url}/?gclid=1`);
    await expect.poll(() => page.evaluate("calls.length")).toBe(1);
    shop.answer = (response) => response.end("[]");
    await page.clock.fastForward(31_000);
    await expect
      .poll(() => page.evaluate("calls"))
      .toMatchObject([
        {
          ...{ type: "numbers", source: "google", medium: "cpc" },
          numbers: [{ original_number: "+12223334444", number: "+15556667777" }, { number: "+49309876543" }],
        },
        { type: "numbers", source: "google", medium: "cpc", numbers: [] },
      ]);
    expect(await page.evaluate("events")).toEqual(await page.evaluate("calls"));
    expect(complaints).toEqual([expect.stringContaining("Error: from the page")]);
    expect(await page.locator("#head-link span").textContent()).toBe("+1 222-333-4444");
  });

  test("calls a function of an object of the page", async () => {
    const { shop, page, complaints } = await visitShop(browser(), pageWith('data-on-number="app.tracking.record"'));
    await page.addInitScript({
      content: "window.app = { tracking: { calls: [], record(detail) { this.calls.push(detail); } } }",
    });
    await page.goto(`${shop.url}/?gclid=1`);
    await expect.poll(() => page.evaluate("app.tracking.calls")).toMatchObject([{ type: "numbers", source: "google" }]);
    expect(complaints).toEqual([]);
  });

  // `name` is a string in every window.
  test.each(["name", "name.length.x", "app.tracking", "document.head.x"])(
    "ignores %s, which is no function",
    async (name) => {
      const { page, complaints, comeFromGoogle } = await visitShop(browser(), pageWith(`data-on-number="${name}"`));
      await comeFromGoogle();
      await page.waitForTimeout(100);
      expect(complaints).toEqual([]);
    },
  );
});

describeInBrowser("the debug mode", (browser) => {
  /** Collects the messages that the script writes to the console. Returns a function that returns all messages so far. */
  function listen(page: Page): () => string {
    const lines: string[] = [];
    page.on("console", (message) => lines.push(message.text()));
    return () => lines.filter((line) => line.startsWith("calltrack: ")).join("\n");
  }

  test.each<[name: string, content: string, path: string]>([
    ["the tag", pageWith("data-debug"), "/?gclid=1"],
    ["the script's address", SHOP_PAGE.replace("DNI_SCRIPT", "DNI_SCRIPT?debug"), "/?gclid=1"],
    ["the page's address", SHOP_PAGE, "/?calltrack=debug&gclid=1"],
  ])("explains a visit if %s asks for it", async (_, content, path) => {
    const { shop, page, complaints } = await visitShop(browser(), content);
    const said = listen(page);
    await page.goto(shop.url + path, { referer: "https://www.google.com/" });
    await expectSwapped(page, "google");
    // At least one place is not replaced, because the page's inputs keep the original number.
    await expect
      .poll(said)
      .toMatch(/\+12223334444 is replaced by \+15556667777\. Places replaced: [1-9]\d*, not replaced: [1-9]\d*\./);
    expect(said()).toMatch(/"click_ids":\[[^\]]*"gclid"\],"referrer":"https:\/\/www\.google\.com"/);
    expect(said()).toContain("/properties/acme.example/visits:resolve succeeded.");
    expect(said()).toContain("The server decided that the source is google / cpc, by the rule click_id.");
    expect(said()).toContain("+12223334445 stays on the page, because its pool has no number for this source.");
    expect(complaints).toEqual([]);
  });

  const originalOnly = { original_number: "+12223339999", number: "+15556667777", show_for_seconds: 10 };

  test.each<[name: string, answer: Shop["answer"], expected: string]>([
    [
      "the account or the property is wrong",
      (response, _, decision) => response.end(JSON.stringify({ ...decision, numbers: [] })),
      "The server has no pool for this property. Check data-account and data-property",
    ],
    [
      "the server fails",
      (response) => response.writeHead(503).end("busy"),
      "The server responds with status 503: busy",
    ],
    ["the connection fails", (response) => response.destroy(), "visits:resolve failed: TypeError: Failed to fetch."],
    [
      "the page does not have it",
      (response, _, decision) => response.end(JSON.stringify({ ...decision, numbers: [originalOnly] })),
      "+12223339999 is not on this page.",
    ],
    [
      "the browser is a crawler",
      (response) => response.end(JSON.stringify({ rule: "crawler", is_counted: false, numbers: [] })),
      "The server classifies this browser as a crawler",
    ],
  ])("says that a number is not shown because %s", async (_, answer, expected) => {
    const { shop, page } = await visitShop(browser(), pageWith("data-debug"));
    shop.answer = answer;
    const said = listen(page);
    await page.goto(`${shop.url}/?gclid=1`);
    await expect.poll(said).toContain(expected);
  });

  test("says that the part that replaces numbers is not loaded", async () => {
    const { shop, page } = await visitShop(browser(), pageWith("data-debug"));
    const said = listen(page);
    await page.route("**/dni-page.js", (route) => route.abort("connectionrefused"));
    await page.goto(`${shop.url}/?gclid=1`);
    await expect.poll(said).toContain("dni-page.js, which replaces the numbers, cannot be loaded");
  });

  test("says that the time of a number has ended", async () => {
    const { shop, page } = await visitShop(browser(), pageWith("data-debug"));
    const said = listen(page);
    shop.answer = (response, _, decision) => response.end(JSON.stringify({ ...decision, numbers: [originalOnly] }));
    await page.clock.install();
    await page.goto(`${shop.url}/?gclid=1`);
    await expect.poll(said).toContain("will be replaced by");
    shop.answer = (response) => response.writeHead(503).end();
    await page.clock.fastForward(11_000);
    await expect.poll(said).toContain("The server withdrew the numbers, or they expired.");
  });

  test("says that a tag without an account does nothing", async () => {
    const { shop, page } = await visitShop(browser(), SHOP_PAGE.replace('data-account="acme"', "data-debug"));
    const said = listen(page);
    await page.goto(`${shop.url}/?gclid=1`);
    await expect.poll(said).toContain("its tag lacks data-account or data-property");
    expect([shop.lookups, shop.visits]).toEqual([[], []]);
  });

  test("says nothing and is not loaded unless asked for", async () => {
    const { page, comeFromGoogle } = await visitShop(browser());
    const said = listen(page);
    await page.route("**/dni-debug.js", () => expect.unreachable());
    await comeFromGoogle();
    expect(said()).toBe("");
  });
});
