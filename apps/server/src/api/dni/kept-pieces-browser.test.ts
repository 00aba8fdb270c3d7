import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser } from "../../testing/browser.js";
import { createNumbersJson, type Shop, visitShop } from "../../testing/test-shop.js";

const PIECE = `<div id="piece"><p>Call (222) 333-4444</p><a href="tel:+12223334444" title="222.333.4444">call us</a></div>`;

/** A line that stays on the page. Its text shows whether the page has received the numbers of a response. */
const LINE = `<p id="line">222-333-4444</p>`;

/** Defines `keep`, which removes a piece of the page, and `bringBack`, which restores it, as the routers of frameworks do. */
const REMOVED = "const node = piece, keep = () => node.remove(), bringBack = () => main.append(node);";
const STORED = `const keep = () => { sessionStorage.html = main.innerHTML; main.replaceChildren(); };
  const bringBack = () => { main.innerHTML = sessionStorage.html; };`;
const KEEPERS = [
  ["nodes that a script removed", REMOVED],
  [
    "nodes in an element that is not on the page",
    `const store = document.createElement("div"), node = piece;
     const keep = () => store.append(node), bringBack = () => main.append(node);`,
  ],
  [
    "a clone of the body, as Turbo caches it",
    `let body;
     const keep = () => {
       body = document.body.cloneNode(true);
       const next = document.createElement("body");
       next.append(line);
       document.body.replaceWith(next);
     };
     const bringBack = () => document.body.replaceWith(body);`,
  ],
  ["HTML in the tab's storage, as htmx saves it", STORED],
] as const;

const pageOf = (script: string, piece = PIECE) => `<!doctype html><html lang="en"><head><title>Shop</title>
  <script async src="DNI_SCRIPT" data-account="acme" data-property="acme.example"></script></head>
  <body><main id="main">${piece}</main>${LINE}<script nonce="shop">${script}</script></body></html>`;

const pieceOf = (area: string, exchange: string, line: string) => ({
  line: `${area}-${exchange}-${line}`,
  piece: [`Call (${area}) ${exchange}-${line}`, `tel:+1${area}${exchange}${line}`, `${area}.${exchange}.${line}`],
});
const ORIGINAL = pieceOf("222", "333", "4444");
const FIRST = pieceOf("555", "666", "7777");
const SECOND = pieceOf("555", "888", "9999");

const takeBack: Shop["answer"] = (response, _, decision) =>
  response.end(decision === undefined ? "[]" : JSON.stringify({ ...decision, numbers: [] }));
const giveAnother: Shop["answer"] = (response, _, decision) =>
  response.end(createNumbersJson("+15558889999", decision));
const fail: Shop["answer"] = (response) => response.writeHead(503).end();

const readPiece = (page: Page) =>
  page.evaluate("[piece.firstChild.textContent, piece.lastChild.getAttribute('href'), piece.lastChild.title]");
const readLine = (page: Page) => page.locator("#line").last().textContent();

/** Opens a page, and waits until the page shows the number in `FIRST`. */
async function openPage(browser: Browser, content: string, options: BrowserContextOptions = {}) {
  const visitor = await visitShop(browser, content, options);
  const { shop, page } = visitor;
  await page.clock.install();
  await page.goto(`${shop.url}/?gclid=1`);
  await expect.poll(() => readLine(page)).toBe(FIRST.line);
  /** Makes the page request its numbers again, until it shows the expected text. */
  const askAgain = async (answer: Shop["answer"], { line }: typeof FIRST) => {
    shop.answer = answer;
    const answered = page.waitForResponse(/numbers\?|visits:resolve/);
    await page.clock.fastForward(31_000);
    await (await answered).finished();
    await expect.poll(() => readLine(page)).toBe(line);
  };
  return { ...visitor, askAgain };
}

describeInBrowser("a piece of a page that was kept", (browser) => {
  test.each(KEEPERS)(
    "shows the next number of its original, and the original once it has none: %s",
    async (_, script) => {
      const { page, complaints, askAgain } = await openPage(browser(), pageOf(script));
      expect(await readPiece(page)).toEqual(FIRST.piece);
      for (const [answer, expected] of [
        [giveAnother, SECOND],
        [takeBack, ORIGINAL],
      ] as const) {
        await page.evaluate("keep()");
        await askAgain(answer, expected);
        await page.evaluate("bringBack()");
        expect(await readPiece(page)).toEqual(expected.piece);
      }
      expect(complaints).toEqual([]);
    },
  );

  test.each([
    ["took the number back", takeBack, ORIGINAL],
    ["gave another number", giveAnother, SECOND],
    ["became unavailable", fail, ORIGINAL],
  ] as const)("is right on later pages and visits of the tab after the server %s", async (_, answer, expected) => {
    const { shop, page, askAgain } = await openPage(browser(), pageOf(STORED));
    await page.evaluate("keep()");
    await page.clock.fastForward(31_000);
    shop.answer = answer;
    for (const path of ["/", "/?msclkid=2"]) await page.goto(shop.url + path);
    await page.reload();
    await askAgain(answer, expected);
    await page.evaluate("bringBack()");
    expect(await readPiece(page)).toEqual(expected.piece);
  });

  test("shows the original number if it comes back with a shadow root", async () => {
    const { page, askAgain } = await openPage(browser(), pageOf(REMOVED, '<div id="piece"></div>'));
    await page.evaluate(`piece.attachShadow({ mode: "open" }).append("222-333-4444")`);
    const read = () => page.evaluate("node.shadowRoot.textContent");
    await expect.poll(read).toBe(FIRST.line);
    await page.evaluate("keep()");
    await askAgain(takeBack, ORIGINAL);
    await page.evaluate("bringBack()");
    expect(await read()).toBe(ORIGINAL.line);
  });

  test("shows the original number if the browser blocks storage", async () => {
    const { page, context, shop, askAgain } = await openPage(browser(), pageOf(REMOVED));
    await context.addInitScript({
      content: `Object.defineProperty(window, "sessionStorage", { get() { throw new DOMException("", "SecurityError"); } })`,
    });
    await page.goto(`${shop.url}/?gclid=1`);
    await expect.poll(() => readLine(page)).toBe(FIRST.line);
    await page.evaluate("keep()");
    await askAgain(takeBack, ORIGINAL);
    await page.evaluate("bringBack()");
    expect(await readPiece(page)).toEqual(ORIGINAL.piece);
  });

  test("shows the original number if another document of the tab showed the number", async () => {
    const { shop, page, askAgain } = await openPage(browser(), pageOf(STORED), { bypassCSP: true });
    shop.answer = giveAnother;
    await page.evaluate(
      `{ const frame = document.createElement("iframe"); frame.src = "/?msclkid=2"; document.body.append(frame); }`,
    );
    const frame = page.frameLocator("iframe");
    await expect.poll(() => frame.locator("#line").textContent()).toBe(SECOND.line);
    await page.frames()[1]?.evaluate("keep()");
    await page.evaluate("document.querySelector('iframe').remove()");
    await askAgain(takeBack, ORIGINAL);
    await page.reload();
    await askAgain(takeBack, ORIGINAL);
    await page.evaluate("bringBack()");
    expect(await readPiece(page)).toEqual(ORIGINAL.piece);
  });

  test("shows the original number in a view of Vue's KeepAlive", async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: `import { createApp, h, KeepAlive, ref } from "vue";
          const View = { render: () => h("div", { id: "piece", innerHTML: \`${PIECE.replace(/^<div.*?>|<\/div>$/g, "")}\` }) };
          const Other = { render: () => h("p", "Cart") };
          const current = ref(View);
          createApp({ render: () => h(KeepAlive, () => h(current.value)) }).mount("#main");
          Object.assign(window, { keep: () => { current.value = Other; }, bringBack: () => { current.value = View; } });`,
        resolveDir: fileURLToPath(new URL(".", import.meta.url)),
      },
      ...{ bundle: true, format: "iife", write: false },
      define: {
        "process.env.NODE_ENV": '"production"',
        __VUE_OPTIONS_API__: "true",
        __VUE_PROD_DEVTOOLS__: "false",
        __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
      },
    });
    const { page, complaints, askAgain } = await openPage(browser(), pageOf(outputFiles[0]?.text ?? "", ""));
    await expect.poll(() => readPiece(page)).toEqual(FIRST.piece);
    await page.evaluate("keep()");
    await expect.poll(() => page.locator("main").textContent()).toBe("Cart");
    await askAgain(takeBack, ORIGINAL);
    await page.evaluate("bringBack()");
    await expect.poll(() => readPiece(page)).toEqual(ORIGINAL.piece);
    expect(complaints).toEqual([]);
  });
});
