import { readFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { expect } from "vitest";

const SCRIPT = await readFile(new URL("../../../../packages/dni-script/dist/dni.js", import.meta.url));

/** The page of a shop, with the script in its head. */
export const SHOP_PAGE = await readFile(new URL("../api/dni/shop-page.html", import.meta.url), "utf8");

/** The numbers of the fake DNI server by source. Other sources get the number of `google`. */
const NUMBERS: Record<string, string> = { google: "+15556667777", bing: "+15558889999" };

/** A shop's web server and a fake DNI server on another origin, which records its requests. */
export interface Shop extends AsyncDisposable {
  /** The URL of the page. */
  readonly url: string;
  /** The URL of the script. */
  readonly script: string;
  /** The targets of number lookups. */
  readonly lookups: string[];
  readonly visits: { readonly contentType: string | undefined; readonly visit: unknown }[];
  /** Requests with other methods than GET and POST. The script must not send any. */
  readonly preflights: string[];
  answer: (response: ServerResponse, source: string) => void;
  stopDniServer(): Promise<void>;
}

type Row = readonly [expected: string, actual: string];

/** Reads the expected texts, which the page has in data attributes, with the actual ones. */
async function readRows(page: Page): Promise<Row[]> {
  return page.evaluate(`["shown", "href", "title", "aria-label"].flatMap((name) =>
    [...document.querySelectorAll("[data-" + name + "]")].map((element) => [
      element.getAttribute("data-" + name),
      (name === "shown" ? element.textContent : element.getAttribute(name)).replace(/\\s+/g, " ").trim(),
    ]))`);
}

/** Waits until the page shows the number of a source everywhere. */
export async function expectSwapped(page: Page, source: string): Promise<void> {
  await page.waitForSelector("#late-link");
  const [, exchange = "", line = ""] = /^\+1555(...)(....)$/.exec(NUMBERS[source] ?? "+15556667777") ?? [];
  await expect
    .poll(async () => {
      const found = await readRows(page);
      return found.filter(
        ([expected, actual]) => expected.replaceAll("666", exchange).replaceAll("7777", line) !== actual,
      );
    })
    .toEqual([]);
  expect((await readRows(page)).length).toBeGreaterThan(2);
}

/** Opens a page in a new browser context. The errors of its console are in `complaints`. */
export async function openVisitor(
  browser: Browser,
): Promise<AsyncDisposable & { page: Page; context: BrowserContext; complaints: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 1100 } });
  await context.addInitScript({
    content: 'addEventListener("securitypolicyviolation", (event) => console.error("refused", event.blockedURI))',
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  return { page, context, complaints, [Symbol.asyncDispose]: () => context.close() };
}

/** Returns the response body of the DNI server that replaces the page's number. */
export function numbersJson(number: string): string {
  const shown = { show_for_seconds: 86_370 };
  return JSON.stringify([
    { pool_id: "0b0e7a34-5a5d-4e0e-9d5b-0d7c9d1f7a11", original_number: "+12223334444", number, ...shown },
    {
      pool_id: "1b0e7a34-5a5d-4e0e-9d5b-0d7c9d1f7a11",
      original_number: "+49301234567",
      number: "+49309876543",
      ...shown,
    },
    {
      pool_id: "2b0e7a34-5a5d-4e0e-9d5b-0d7c9d1f7a11",
      original_number: "+12223334445",
      number: "+12223334445",
      show_for_seconds: null,
    },
  ]);
}

/** Starts the shop, and the DNI server under a base path on another origin. */
export async function startShop(content = SHOP_PAGE): Promise<Shop> {
  const dni = createServer(async (request, response) => {
    const url = new URL(request.url ?? "", "http://dni");
    response.setHeader("Access-Control-Allow-Origin", "*");
    if (request.method === "POST") {
      shop.visits.push({ contentType: request.headers["content-type"], visit: JSON.parse(await text(request)) });
      response.writeHead(202).end();
    } else if (request.method !== "GET") {
      shop.preflights.push(`${request.method} ${request.url}`);
      response.writeHead(405).end();
    } else if (url.pathname === "/api/dni.js") {
      response.setHeader("Content-Type", "text/javascript").end(SCRIPT);
    } else {
      shop.lookups.push(request.url ?? "");
      response.setHeader("Content-Type", "application/json");
      shop.answer(response, url.searchParams.get("source") ?? "");
    }
  });
  const dniUrl = await listen(dni);

  const shopServer = createServer((_, response) => {
    response
      .setHeader("Content-Type", "text/html; charset=utf-8")
      .setHeader(
        "Content-Security-Policy",
        `default-src 'none'; img-src 'self'; style-src 'nonce-shop'; script-src ${dniUrl} 'nonce-shop'; connect-src ${dniUrl}`,
      )
      .end(content.replaceAll("DNI_SCRIPT", `${dniUrl}/api/dni.js`));
  });
  const shopUrl = await listen(shopServer);

  const shop: Shop = {
    url: shopUrl,
    script: `${dniUrl}/api/dni.js`,
    lookups: [],
    visits: [],
    preflights: [],
    answer: (response, source) => response.end(numbersJson(NUMBERS[source] ?? "+15556667777")),
    stopDniServer: () => stop(dni),
    async [Symbol.asyncDispose]() {
      await Promise.all([stop(dni), stop(shopServer)]);
    },
  };
  return shop;
}

type HttpServer = ReturnType<typeof createServer>;

async function listen(server: HttpServer): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Does nothing if the server is stopped already. */
async function stop(server: HttpServer): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
