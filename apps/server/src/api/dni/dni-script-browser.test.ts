import { readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser } from "../../testing/browser.js";
import { createNumbersJson, expectSwapped, openVisitor, SHOP_PAGE, visitShop } from "../../testing/test-shop.js";

const README = await readFile(new URL("../../../../../packages/dni-script/README.md", import.meta.url), "utf8");

/** The page with the script tag that the README recommends for pages whose `load` event must not be delayed. */
const NON_BLOCKING_PAGE = SHOP_PAGE.replace(/<script async.*<\/script>/, () =>
  (README.match(/<script>\n.*?<\/script>/s)?.[0] ?? "")
    .replace("<script>", '<script nonce="shop">')
    .replace("https://calls.example.com/dni.js", "DNI_SCRIPT")
    .replace("ACCOUNT", "acme")
    .replace("PROPERTY_TOKEN", "acme.example"),
);

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describeInBrowser("the script on a shop's page", (browser) => {
  test.each<[name: string, path: string, referer: string | undefined, source: string, evidence: object]>([
    [
      "an advertisement",
      "/?gclid=Cj0&email=a%40b.example",
      "https://www.google.com/search?q=boots",
      "google",
      { click_ids: ["gclid", "email"], referrer: "https://www.google.com" },
    ],
    ["a search", "/", "https://www.bing.com/", "bing", { referrer: "https://www.bing.com" }],
    [
      "a newsletter",
      "/?utm_source=News&utm_medium=Email",
      undefined,
      "news",
      { utm_source: "News", utm_medium: "Email", click_ids: ["utm_source", "utm_medium"] },
    ],
    ["another site", "/", "https://www.blog.example/boots", "blog.example", { referrer: "https://www.blog.example" }],
    ["nowhere", "/reset/t0ken", undefined, "(direct)", {}],
  ])("replaces all numbers for a visitor from %s", async (_, path, referer, source, evidence) => {
    const { shop, page, complaints } = await visitShop(browser());
    await page.goto(shop.url + path, referer === undefined ? {} : { referer });
    await expectSwapped(page, source);
    expect(await page.inputValue("#phone")).toBe("222-333-4444");
    expect(await page.inputValue("#message")).toBe("Please call 222-333-4444");
    expect(await page.locator("#ld").textContent()).toContain("+1 222-333-4444");
    expect(await page.locator("style").textContent()).toContain("222-333-4444");
    expect(shop.lookups).toEqual(["/api/dni_manager/accounts/acme/properties/acme.example/visits:resolve"]);
    const sent = { click_ids: [], referrer: "", page: shop.url, ...evidence };
    expect(shop.evidence).toEqual([{ evidence: sent }]);
    await expect.poll(() => shop.visits).toHaveLength(1);
    expect(shop.visits).toEqual([
      { contentType: undefined, visit: { event_id: expect.stringMatching(UUID), evidence: sent } },
    ]);
    expect(shop.preflights).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test("shows two concurrent visitors different numbers", async () => {
    const { shop, page: one } = await visitShop(browser());
    const { page: two } = await openVisitor(browser());
    await Promise.all([one.goto(`${shop.url}/?gclid=1`), two.goto(`${shop.url}/?msclkid=1`)]);
    await expectSwapped(one, "google");
    await expectSwapped(two, "bing");
  });

  test("continues the visit on further pages, and shows the number before the server responds", async () => {
    const { shop, page, comeFromGoogle } = await visitShop(browser());
    await comeFromGoogle();
    shop.answer = () => {};
    await page.click("nav a[href='/']");
    await page.waitForURL(`${shop.url}/`);
    await expectSwapped(page, "google");
    await page.goto(shop.url, { referer: "https://www.bing.com/" });
    await expectSwapped(page, "google");
    expect(shop.lookups.map((url) => url.replace(/.*\//, ""))).toEqual([
      "visits:resolve",
      "numbers?source=google&medium=cpc",
      "numbers?source=google&medium=cpc",
    ]);
    await expect.poll(() => shop.visits).toHaveLength(1);
  });

  test("shows no stored number in a tab that is restored after 33 days, whatever the browser's cache contains", async () => {
    const { shop, page, comeFromGoogle } = await visitShop(browser());
    const start = Date.now();
    await page.clock.setFixedTime(start);
    const { answer } = shop;
    shop.answer = (response, ...visit) => answer(response.setHeader("Cache-Control", "public, max-age=30"), ...visit);
    await comeFromGoogle();
    await page.goto("about:blank");
    await page.clock.setFixedTime(start + 33 * 24 * 60 * 60 * 1000);
    shop.answer = (response) => response.writeHead(503).end();
    await page.goBack();
    await page.waitForSelector("#late-link");
    await expect.poll(() => shop.lookups).toHaveLength(2);
    await expectUntouched(page);
  });

  test("shows the original number at once in an open tab when a response takes the number back", async () => {
    const { shop, page, complaints, comeFromGoogle } = await visitShop(browser());
    await page.clock.install();
    await comeFromGoogle();
    shop.answer = (response) => response.end("[]");
    await page.clock.fastForward(31_000);
    await expect.poll(() => page.locator("#head-link span").textContent()).toBe("+1 222-333-4444");
    expect(await page.locator("#head-link").getAttribute("href")).toBe("tel:+12223334444");
    expect(await page.locator("body").innerText()).not.toContain("666");
    await page.evaluate('document.body.append(" 222-333-4444 "); true');
    expect(await page.locator("body").innerText()).not.toContain("555");
    expect(complaints).toEqual([]);
  });

  test("looks for late shadow roots for ten seconds after something happened, and not at rest", async () => {
    const { page, comeFromGoogle } = await visitShop(browser(), `${SHOP_PAGE}<div id="host"></div>`);
    await page.clock.install();
    await comeFromGoogle();
    await page.evaluate(`{
      const { querySelectorAll } = Document.prototype;
      Document.prototype.querySelectorAll = function (selector) {
        if (selector === "*") window.searches = (window.searches ?? 0) + 1;
        return querySelectorAll.call(this, selector);
      };
    }`);
    const searches = async (seconds: number) => {
      await page.evaluate("searches = 0");
      await page.clock.runFor(seconds * 1000);
      return page.evaluate<number>("searches");
    };
    await searches(15);
    expect(await searches(30)).toBe(0);
    await page.keyboard.press("ArrowDown");
    expect(await searches(8)).toBeGreaterThan(5);
    await page.evaluate(`host.attachShadow({ mode: "open" }).append("222-333-4444")`);
    await searches(2);
    expect(await page.evaluate("host.shadowRoot.textContent")).toBe("555-666-7777");
    await searches(10);
    expect(await searches(30)).toBe(0);
  });

  test("does not cache an invalid response", async () => {
    const { shop, page, complaints } = await visitShop(browser());
    const { answer } = shop;
    const answers = [answer, (response: ServerResponse) => response.end(createNumbersJson("<b>call us</b>")), answer];
    for (const [index, given] of answers.entries()) {
      shop.answer = given;
      const answered = page.waitForResponse(/numbers\?|visits:resolve/);
      await page.goto(`${shop.url}/?gclid=1`);
      await (await answered).finished();
      await expectSwapped(page, "google");
      expect(shop.lookups).toHaveLength(index + 1);
    }
    expect(complaints).toEqual([]);
  });

  test("starts a new visit for another campaign", async () => {
    const { shop, page } = await visitShop(browser());
    for (const [query, source] of [
      ["gclid=1", "google"],
      ["msclkid=2", "bing"],
    ] as const) {
      await page.goto(`${shop.url}/?${query}`);
      await expectSwapped(page, source);
    }
    await expect
      .poll(() => shop.visits.map(({ visit }) => visit))
      .toMatchObject([{ evidence: { click_ids: ["gclid"] } }, { evidence: { click_ids: ["msclkid"] } }]);
  });

  test("replaces numbers that the page's own scripts add", async () => {
    const { page, complaints, comeFromGoogle } = await visitShop(browser());
    await comeFromGoogle();
    const written = "My note: 222-333-4444 222-333-4444";
    await expectAfter(page, 'note.append(" 222-333-4444")', "note.textContent", written);
    await page.click("#to-cart");
    await page.waitForSelector("#cart");
    await expectSwapped(page, "google");
    await expectAfter(page, 'clock.firstChild.data = "Line: 222-333-4444"', "clock.textContent", "Line: 555-666-7777");
    await expectAfter(
      page,
      'clock.append(" or 222-333-4444")',
      "clock.textContent",
      "Line: 555-666-7777 or 555-666-7777",
    );
    await expectAfter(
      page,
      'clock.replaceChildren("(222)", document.createElement("b"), " 333-4444")',
      "clock.textContent",
      "(555) 666-7777",
    );
    await expectAfter(
      page,
      'clock.replaceChildren(document.body.appendChild(document.createElement("iframe")).contentDocument.createTextNode("222 333 4444"))',
      "clock.textContent",
      "555 666 7777",
    );
    await expectAfter(
      page,
      `clock.innerHTML = '<svg><a xlink:href="tel:2223334444"></a></svg>'`,
      'clock.querySelector("a").getAttribute("xlink:href")',
      "tel:+15556667777",
    );
    const link = 'document.querySelector("#late-link")';
    await expectAfter(page, `${link}.href = "tel:222.333.4444"`, `${link}.href`, "tel:+15556667777");
    await expectAfter(page, `${link}.title = "222.333.4444"`, `${link}.title`, "555.666.7777");
    await expectAfter(page, `${link}.href = "/?phone=2223334444"`, `${link}.pathname`, "/");
    expect(complaints).toEqual([]);
  });

  test("replaces numbers in open shadow roots, also in later ones, and in what changes there", async () => {
    const { shop, page, complaints } = await visitShop(browser());
    await page.goto(`${shop.url}/?gclid=1`);
    await page.evaluate(`{
      for (const id of ["early", "late"]) main.append(Object.assign(document.createElement("shop-phone"), { id }));
      early.attachShadow({ mode: "open" }).append("222-333-4444");
    }`);
    await expectSwapped(page, "google");
    await page.evaluate(`{
      late.attachShadow({ mode: "open" }).innerHTML = '<p><b>(222)</b> 333-4444</p><div></div>';
      late.shadowRoot.lastChild.attachShadow({ mode: "open" }).innerHTML = '<a href="tel:2223334444">222.333.4444</a>';
    }`);
    const texts = () =>
      page.evaluate(`[early, late, late.shadowRoot.lastChild].map((host) => host.shadowRoot.textContent)`);
    await expect.poll(texts).toEqual(["555-666-7777", "(555) 666-7777", "555.666.7777"]);
    await page.evaluate("{ globalThis.kept = late; }");
    const inner = "kept.shadowRoot.lastChild.shadowRoot";
    expect(await page.evaluate(`${inner}.firstChild.href`)).toBe("tel:+15556667777");
    await expectAfter(page, `${inner}.append(" 222 333 4444")`, `${inner}.textContent`, "555.666.7777 555 666 7777");
    await page.evaluate("{ kept.remove(); early.shadowRoot.append(kept); }");
    await expectAfter(
      page,
      `${inner}.append(" 2223334444")`,
      `${inner}.textContent`,
      "555.666.7777 555 666 7777 5556667777",
    );
    expect(complaints).toEqual([]);
  });

  test("replaces numbers in attributes that the tag names", async () => {
    const button = `<button id="dial" data-phone="2223334444" data-link="tel:222-333-4444" onclick="document.title = 'tel:+12223334444'">Call</button>`;
    const tag = 'data-attributes="onclick, data-phone data-link" data-account';
    const content = SHOP_PAGE.replace("data-account", tag).replace("</main>", button);
    const { page, comeFromGoogle } = await visitShop(browser(), content, { bypassCSP: true });
    await comeFromGoogle();
    await page.click("#dial");
    expect(await page.title()).toBe("tel:+15556667777");
    expect(await page.locator("#dial").getAttribute("data-phone")).toBe("5556667777");
    expect(await page.locator("#dial").getAttribute("data-link")).toBe("tel:+15556667777");
  });

  test("keeps the format of a number in an attribute that visitors read, even after a label that looks like a scheme", async () => {
    const { complaints, comeFromGoogle } = await visitShop(
      browser(),
      SHOP_PAGE.replace(
        "</main>",
        `<p title="Tel: (222) 333-4444" data-title="Tel: (555) 666-7777"></p>
        <p aria-label="Tel: +1 222-333-4444. Mo-Fr 9+" data-aria-label="Tel: +1 555-666-7777. Mo-Fr 9+"></p>
        <img alt="tel: 222.333.4444, 100%25" data-alt="tel: 555.666.7777, 100%25">
        <input type="button" value="TEL:222 333 4444" data-value="TEL:555 666 7777"></main>`,
      ),
    );
    await comeFromGoogle();
    expect(complaints).toEqual([]);
  });

  test.each([
    ["allows only scripts with a nonce", "script-src 'nonce-shop' 'strict-dynamic'"],
    ["forbids to change event handlers", "require-trusted-types-for 'script'"],
  ])("replaces the numbers if the page's policy %s", async (_, policy) => {
    const content = SHOP_PAGE.replace(
      "<title>",
      `<meta http-equiv="Content-Security-Policy" content="${policy}"><title>`,
    )
      .replace("data-account", 'nonce="shop" data-attributes="onclick" data-account')
      .replace('<main id="main">', '<main id="main"><b onclick="dial(2223334444)"></b>')
      .replace(
        /box.innerHTML = (.*);/,
        'box.innerHTML = trustedTypes.createPolicy("shop", { createHTML: String }).createHTML($1);',
      );
    const { comeFromGoogle } = await visitShop(browser(), content);
    await comeFromGoogle();
  });

  test("lets a page continue that restores its number at once", async () => {
    const restore = `<p id="fixed">222-333-4444</p><script nonce="shop">
      new MutationObserver(() => { if (fixed.textContent !== "222-333-4444") fixed.textContent = "222-333-4444"; })
        .observe(fixed, { childList: true, characterData: true, subtree: true });
    </script>`;
    const { page, complaints, comeFromGoogle } = await visitShop(
      browser(),
      SHOP_PAGE.replace("</main>", `${restore}</main>`),
    );
    await comeFromGoogle();
    await page.evaluate('document.querySelector("h1").append(" 222-333-4444")');
    await expect.poll(() => page.locator("h1").textContent()).toBe("Boots for every road 555-666-7777");
    expect(complaints).toEqual([]);
  });

  test("makes no more changes once all numbers are replaced", async () => {
    const { page, comeFromGoogle } = await visitShop(browser());
    await comeFromGoogle();
    const changes = await page.evaluate(`new Promise((resolve) => {
      let changes = 0;
      new MutationObserver((records) => { changes += records.length; })
        .observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
      main.append("222-333-4444");
      setTimeout(() => resolve(changes), 200);
    })`);
    // One change adds the text, and the other replaces its number.
    expect(changes).toBe(2);
  });

  test("works on a large page with frequent changes", async () => {
    const { shop, page, complaints } = await visitShop(browser());
    await page.goto(`${shop.url}/?gclid=1`);
    await page.waitForSelector("#late-link");
    await page.evaluate(`for (let row = 0; row < 20_000; row++) {
      const line = document.createElement(row % 2 ? "p" : "span");
      line.className = "row";
      line.append("Item " + row + ", ", "222-333-", "4444");
      main.append(line);
    }`);
    await expect
      .poll(() =>
        page.evaluate(
          '[...document.querySelectorAll(".row")].every((row) => row.textContent.endsWith(", 555-666-7777"))',
        ),
      )
      .toBe(true);
    expect(complaints).toEqual([]);
  });

  test("does not delay the page for a slow server, and shows the number later", async () => {
    const { shop, page, complaints } = await visitShop(browser());
    const { answer } = shop;
    const held: (() => void)[] = [];
    shop.answer = (...request) => held.push(() => answer(...request));
    await page.goto(`${shop.url}/?gclid=1`, { waitUntil: "load" });
    expect(await page.locator("#head-link span").textContent()).toBe("+1 222-333-4444");
    await expect.poll(() => shop.visits).toHaveLength(1);
    await expect.poll(() => held).toHaveLength(1);
    for (const release of held) release();
    await expectSwapped(page, "google");
    expect(complaints).toEqual([]);
  });

  test("does not delay the load event if it is fetched first, even if its server hangs", async () => {
    const { shop, page, complaints, comeFromGoogle } = await visitShop(browser(), NON_BLOCKING_PAGE);
    await comeFromGoogle();
    await expect.poll(() => shop.visits).toHaveLength(1);
    expect(complaints).toEqual([]);
    await page.route("**/dni.js", () => {});
    await page.goto(shop.url, { waitUntil: "load" });
    await expectUntouched(page);
  });

  test.each<[name: string, answer: (response: ServerResponse) => void]>([
    ["a page", (response) => response.end("<!doctype html><title>Bad gateway</title>")],
    ["half of it", (response) => response.end('[{"original_number":"+12223334444","number":"+1555')],
    ["nothing", (response) => response.end()],
    ["something else", (response) => response.end('{"code":"not_found","message":"no such property"}')],
    ["a list of something else", (response) => response.end('[1,null,"+12223334444"]')],
    ["numbers that are none", (response) => response.end(createNumbersJson("<b>call us</b>"))],
    ["a hang-up", (response) => response.destroy()],
    ["an error", (response) => response.writeHead(503).end()],
  ])("leaves the page unchanged if the server responds with %s", async (_, answer) => {
    const { shop, page, complaints } = await visitShop(browser());
    shop.answer = answer;
    await page.goto(`${shop.url}/?gclid=1`);
    // There can be several lookups: a browser repeats a request whose connection is closed if earlier requests used that connection.
    await expect.poll(() => shop.lookups).not.toEqual([]);
    await expectUntouched(page);
    expect(complaints.filter(isFromPage)).toEqual([]);
  });

  test("leaves the page unchanged if the server fails after the script is loaded", async () => {
    const { shop, page, complaints } = await visitShop(browser());
    await page.route("**/dni_manager/**", (route) => route.abort("connectionrefused"));
    await page.goto(`${shop.url}/?gclid=1`);
    await expectUntouched(page);
    expect(complaints.filter(isFromPage)).toEqual([]);
  });

  test("leaves the page unchanged if the part that replaces numbers cannot be loaded, and still counts the visit", async () => {
    const { shop, page, complaints } = await visitShop(browser());
    await page.route("**/dni-page.js", (route) => route.abort("connectionrefused"));
    await page.goto(`${shop.url}/?gclid=1`);
    await expect.poll(() => shop.visits).toHaveLength(1);
    await expectUntouched(page);
    expect(complaints.filter(isFromPage)).toEqual([]);
  });

  test("leaves the page unchanged if the server is down", async () => {
    const { shop, page, complaints } = await visitShop(browser());
    await shop.stopDniServer();
    await page.goto(`${shop.url}/?gclid=1`);
    await expectUntouched(page);
    expect(complaints.filter(isFromPage)).toEqual([]);
  });

  test("shows the number if the browser blocks storage", async () => {
    const { shop, page, context, complaints, comeFromGoogle } = await visitShop(browser());
    await context.addInitScript({
      content: `Object.defineProperty(window, "sessionStorage", {
        get() { throw new DOMException("The operation is insecure.", "SecurityError"); },
      })`,
    });
    await comeFromGoogle();
    await page.click("nav a[href='/']");
    await page.waitForURL(`${shop.url}/`);
    await expectSwapped(page, "(direct)");
    await expect.poll(() => shop.visits).toHaveLength(1);
    expect(complaints).toEqual([]);
  });

  test("reports a visit that ends before the page has loaded", async () => {
    const { shop, page } = await visitShop(browser());
    await page.route("**/slow.png", () => {});
    await page.addInitScript({
      content:
        'addEventListener("DOMContentLoaded", () => { document.body.append(new Image()); document.images[0].src = "/slow.png"; })',
    });
    await page.goto(`${shop.url}/?gclid=1`, { waitUntil: "domcontentloaded" });
    await expect.poll(() => shop.lookups).toHaveLength(1);
    expect(shop.visits).toEqual([]);
    await page.goto("about:blank");
    await expect.poll(() => shop.visits).toMatchObject([{ visit: { evidence: { click_ids: ["gclid"] } } }]);
  });
});

/** Waits until the page's own scripts are done, and compares the page with the same page without the DNI script. */
async function expectUntouched(page: Page): Promise<void> {
  await page.waitForSelector("#late-link");
  const plain = await page.context().newPage();
  await plain.route("**/dni.js", (route) => route.abort());
  await plain.goto(page.url());
  await plain.waitForSelector("#late-link");
  expect(await page.content()).toBe(await plain.content());
}

async function expectAfter(page: Page, change: string, expression: string, expected: unknown): Promise<void> {
  await page.evaluate(`{ ${change}; }`);
  expect(await page.evaluate(expression)).toBe(expected);
}

/** Whether a console message is not the browser's own report of a failed request, which cannot be suppressed. */
function isFromPage(complaint: string): boolean {
  return !complaint.startsWith("Failed to load resource");
}
