import { fileURLToPath } from "node:url";
import { runInThisContext } from "node:vm";
import { build } from "esbuild";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { describeInBrowser } from "../../testing/browser.js";
import { visitShop } from "../../testing/test-shop.js";

const FIXTURES = fileURLToPath(new URL("hydration", import.meta.url));

const TAG = '<script async src="DNI_SCRIPT" data-account="acme" data-property="acme.example"></script>';

const REACT_18 = { react: "react-18", "react-dom": "react-dom-18" };

describeInBrowser("the script on a page that a framework hydrates", (browser) => {
  describe.each<[name: string, file: string, root: string, alias: Record<string, string>]>([
    ["React 18", "react-shop.js", "shop", REACT_18],
    ["React 19", "react-shop.js", "shop", {}],
    ["Vue 3", "vue-shop.js", "app", {}],
  ])("%s", (name, file, root, alias) => {
    let content: string;

    beforeAll(async () => {
      content = await renderPage(file, root, alias);
    });

    test("keeps what a visitor has typed, and replaces the numbers once the page is hydrated", async () => {
      const { shop, page, complaints } = await visitShop(browser(), content);
      await openBeforeHydration(page, shop.url);
      await page.evaluate("shop.hydrate()");
      await expect
        .poll(() => readTexts(page))
        .toMatchObject({
          text: "Call 555-666-7777 now, 0 orders",
          only: "Call 555-666-7777",
          link: "(555) 666-7777",
          html: "Call 555-666-7777",
        });
      expect(await page.locator("#link").getAttribute("href")).toBe("tel:+15556667777");
      expect(await page.locator("#link").getAttribute("title")).toBe("555-666-7777");
      await expectInputKept(page);
      expect(complaints).toEqual([]);
    });

    test("waits on the next page of the visit too, which has the numbers while it is parsed", async () => {
      const { shop, page, complaints } = await visitShop(browser(), content.replace("<script async", "<script"));
      await openBeforeHydration(page, shop.url);
      await openBeforeHydration(page, shop.url);
      expect(await readTexts(page)).toMatchObject({ only: "Call 222-333-4444", link: "(222) 333-4444" });
      await page.evaluate("shop.hydrate()");
      await expect.poll(() => readTexts(page)).toMatchObject({ only: "Call 555-666-7777", link: "(555) 666-7777" });
      await expectInputKept(page);
      expect(complaints).toEqual([]);
    });

    test("replaces the numbers again when the page renders them again, and restores them", async () => {
      const { shop, page, complaints } = await visitShop(browser(), content);
      await openBeforeHydration(page, shop.url);
      await page.evaluate("shop.hydrate(); shop.hydrateLate?.()");
      await expect.poll(async () => JSON.stringify(await readTexts(page))).not.toContain("222");
      await page.click("#order");
      expect(await readTexts(page)).toMatchObject({ text: "Call 555-666-7777 now, 1 orders" });
      await page.click("#reformat");
      expect(await readTexts(page)).toMatchObject({
        text: "Call 555.666.7777 now, 1 orders",
        only: "Call 555.666.7777",
      });
      shop.answer = (response) => response.end("[]");
      await page.clock.fastForward(31_000);
      await expect
        .poll(() => readTexts(page))
        .toMatchObject({
          text: "Call 222.333.4444 now, 1 orders",
          only: "Call 222.333.4444",
          link: "(222) 333-4444",
          html: "Call 222-333-4444",
        });
      await page.click("#order");
      expect(await readTexts(page)).toMatchObject({ text: "Call 222.333.4444 now, 2 orders" });
      expect(complaints).toEqual([]);
    });

    test.skipIf(name === "Vue 3")("waits for boundaries that hydrate later than the page", async () => {
      const { shop, page, complaints } = await visitShop(browser(), content);
      await openBeforeHydration(page, shop.url, "#late-name");
      await page.evaluate("shop.hydrate()");
      await expect.poll(() => readTexts(page)).toMatchObject({ text: "Call 555-666-7777 now, 0 orders" });
      await page.clock.runFor(2000);
      await page.evaluate("shop.hydrateLate()");
      await expect
        .poll(() => readTexts(page))
        .toMatchObject({
          late: "Late 555-666-7777",
          "beside-late": "Beside 555-666-7777",
        });
      await expectInputKept(page);
      expect(complaints).toEqual([]);
    });

    test("replaces numbers at the first change, and all after 10 seconds, if the page is not hydrated", async () => {
      const { shop, page, complaints } = await visitShop(browser(), content);
      await openBeforeHydration(page, shop.url);
      expect(await readTexts(page)).toMatchObject({ only: "Call 222-333-4444", html: "Call 222-333-4444" });
      await page.evaluate('document.querySelector("#only").firstChild.data += "!"');
      await page.evaluate('document.querySelector("main").append("222 333 4444")');
      expect(await readTexts(page)).toMatchObject({ only: "Call 555-666-7777!", html: "Call 222-333-4444" });
      expect(await page.locator("main").innerText()).toContain("555 666 7777");
      await page.clock.runFor(10_000);
      expect(await readTexts(page)).toMatchObject({
        text: "Call 555-666-7777 now, 0 orders",
        html: "Call 555-666-7777",
      });
      expect(complaints).toEqual([]);
    });
  });

  describe("a page that is rendered in the browser", () => {
    test("shows the number at once if a script renders it later, before the page has loaded", async () => {
      const slow = '<img src="/slow.png">';
      const { shop, page, complaints } = await visitShop(browser(), `<!doctype html>${TAG}<div id="app"></div>${slow}`);
      await page.route("**/slow.png", () => {});
      await openFromGoogle(page, shop.url);
      await page.evaluate('app.innerHTML = "<p>Call 222-333-4444</p>"');
      await expect.poll(() => page.locator("#app").innerText()).toBe("Call 555-666-7777");
      expect(complaints).toEqual([]);
    });

    test.each<[name: string, script: string]>([
      ["it is larger than the page that the server sent", 'app.append(" ".repeat(5000))'],
      ["Preact rendered it", "app.__k = {}"],
      ["Vue 2 rendered it", "app.firstElementChild.__vue__ = {}"],
    ])("shows the number if it was rendered before the script ran, and %s", async (_, script) => {
      const render = `<script nonce="shop">app.innerHTML = "<p>Call 222-333-4444</p>"; ${script}</script>`;
      const { shop, page, complaints } = await visitShop(
        browser(),
        `<!doctype html><div id="app"></div>${render}${TAG}`,
      );
      const { answer } = shop;
      const held: (() => void)[] = [];
      shop.answer = (...request) => held.push(() => answer(...request));
      // The script can look for a framework only once. If it waited for a framework, it would wait forever.
      await page.addInitScript({ content: "window.setInterval = () => 0;" });
      await page.goto(`${shop.url}/?gclid=1`);
      await expect.poll(() => held).toHaveLength(1);
      held[0]?.();
      await expect.poll(() => page.locator("#app").innerText()).toBe("Call 555-666-7777");
      expect(complaints).toEqual([]);
    });
  });

  test("waits only in the elements that the tag names", async () => {
    const content = await renderPage("react-shop.js", "shop", {});
    const { shop, page } = await visitShop(
      browser(),
      content.replace("data-account", 'data-hydrates="#shop" data-account'),
    );
    await openBeforeHydration(page, shop.url);
    expect(await page.locator("footer").innerText()).toBe("555-666-7777");
    expect(await readTexts(page)).toMatchObject({ only: "Call 222-333-4444" });
  });
});

/** Renders the page on the server; the browser hydrates it when the test calls `shop.hydrate()`. */
async function renderPage(file: string, root: string, alias: Record<string, string>): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: FIXTURES,
    entryPoints: [file],
    alias,
    bundle: true,
    define: {
      "process.env.NODE_ENV": '"development"',
      __VUE_OPTIONS_API__: "true",
      __VUE_PROD_DEVTOOLS__: "false",
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "true",
    },
    format: "iife",
    globalName: "shop",
    write: false,
  });
  const code = outputFiles[0]?.text;
  const html = await runInThisContext(`${code}; shop`).render();
  return `<!doctype html><title>Shop</title>
    ${TAG}
    <div id="${root}">${html}</div><footer>222-333-4444</footer><script nonce="shop">${code}</script>`;
}

/** Opens the page from an advertisement of Google, and waits until the script shows the numbers, except in elements that wait for hydration. */
async function openFromGoogle(page: Page, url: string): Promise<void> {
  await page.clock.install();
  await page.addInitScript('document.addEventListener("calltrack", () => { window.showsNumbers = true; })');
  await page.goto(`${url}/?gclid=1`, { waitUntil: "domcontentloaded" });
  await expect.poll(() => page.evaluate("window.showsNumbers")).toBe(true);
}

/** Opens the page, types into an input, and waits until two seconds have passed since the script showed the numbers. */
async function openBeforeHydration(page: Page, url: string, input = "#name"): Promise<void> {
  await openFromGoogle(page, url);
  await page.waitForLoadState();
  await page.locator(input).fill("Ada");
  await page.evaluate("document.activeElement.isFirst = true");
  await page.clock.runFor(2000);
}

async function expectInputKept(page: Page): Promise<void> {
  expect(await page.evaluate("[document.activeElement.isFirst, document.activeElement.value]")).toEqual([true, "Ada"]);
}

/** Reads the texts that contain a phone number, keyed by the ids of their elements. */
async function readTexts(page: Page): Promise<Record<string, string>> {
  return page.evaluate(
    'Object.fromEntries([...document.querySelectorAll("p, a")].map((node) => [node.id, node.innerText.trim()]))',
  );
}
