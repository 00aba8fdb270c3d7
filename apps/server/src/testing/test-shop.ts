import { readFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { parseResolveVisitRequest } from "@calltrack/domain";
import { ResolveVisitRequestSchema, SourceRule } from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import { decideVisitSource } from "@calltrack/domain/traffic-source";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { collectComplaints } from "./browser.js";

const SCRIPTS = new Map<string, Buffer>();
for (const name of ["dni.js", "dni-page.js", "dni-debug.js"]) {
  SCRIPTS.set(`/api/${name}`, await readFile(new URL(`../../../../packages/dni-script/dist/${name}`, import.meta.url)));
}

/** The HTML page of a shop, which loads the DNI script in its head. */
export const SHOP_PAGE = await readFile(new URL("../api/dni/shop-page.html", import.meta.url), "utf8");

/** The numbers on the fake DNI server, keyed by source. Other sources get the number of `google`. */
const NUMBERS: Record<string, string> = { google: "+15556667777", bing: "+15558889999" };

/** A shop's web server, and a fake DNI server on another origin. The DNI server records the requests that it receives. */
export interface Shop {
  readonly url: string;
  readonly script: string;
  /** The paths with queries of the requests for numbers. */
  readonly lookups: string[];
  /** The bodies of POST requests for numbers. Each is the first request of a visit, and contains the evidence of the visit's source. */
  readonly evidence: JsonObject[];
  /** The reports of visits that the DNI server counts. */
  readonly visits: { readonly contentType: string | undefined; readonly visit: JsonObject }[];
  /** Requests with methods other than GET and POST. The script must not send any. */
  readonly preflights: string[];
  /** Answers a request for numbers. `decision` is set only for the first request of a visit. */
  answer: (response: ServerResponse, source: string, decision?: Decision) => void;
  stopDniServer(): Promise<void>;
}

/** The decision about a visit's source, which is in the response to the visit's evidence. A crawler has no source and no medium. */
interface Decision {
  readonly source?: string;
  readonly medium?: string;
  readonly rule: string;
  readonly is_counted: boolean;
  readonly site: string | undefined;
}

type Row = readonly [expected: string, actual: string];

/** Returns pairs of the expected and actual texts in a page. The expected texts are in data attributes. */
async function readRows(page: Page): Promise<Row[]> {
  return page.evaluate(`["shown", "href", "title", "aria-label", "alt", "value"].flatMap((name) =>
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

/**
 * Starts a shop, and opens a browser context with an empty page for a visitor. Both are closed when the test ends. `complaints` contains
 * the errors of the page.
 */
export async function visitShop(browser: Browser, content = SHOP_PAGE, options: BrowserContextOptions = {}) {
  const shop = await startShop(content);
  const visitor = await openVisitor(browser, options);
  return {
    shop,
    ...visitor,
    /** Opens the shop's page from an advertisement of Google, and waits until the page shows the number of `google`. */
    async comeFromGoogle() {
      await visitor.page.goto(`${shop.url}/?gclid=1`);
      await expectSwapped(visitor.page, "google");
    },
  };
}

/** Opens an empty page in a new browser context for another visitor. The context is closed when the test ends. */
export async function openVisitor(browser: Browser, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 1100 }, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  return { page, context, complaints: await collectComplaints(page) };
}

/** Returns the response body with which the DNI server replaces the page's number by `number`. */
export function createNumbersJson(number: string, decision?: Decision): string {
  const shown = { show_for_seconds: 86_370 };
  const numbers = [
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
  ];
  return JSON.stringify(decision === undefined ? numbers : { ...decision, numbers });
}

/** Decides the source of a visit as the real server does. */
function decide(request: JsonObject, userAgent: string | undefined): Decision {
  const message = fromJson(ResolveVisitRequestSchema, { account_id: "acme", property_token: "shop", ...request });
  const { evidence } = parseResolveVisitRequest(message);
  const { source, rule, isCounted } = decideVisitSource(evidence, userAgent);
  return { ...source, rule: SourceRule[rule].toLowerCase(), is_counted: isCounted, site: evidence.page?.site };
}

/** Starts the shop's web server, and the fake DNI server under the base path `/api` on another origin. Both stop when the test ends. */
async function startShop(content: string): Promise<Shop> {
  const dni = createServer(async (request, response) => {
    const url = new URL(request.url ?? "", "http://dni");
    response.setHeader("Access-Control-Allow-Origin", "*");
    const { method, headers } = request;
    const body = method === "POST" ? ((await json(request)) as JsonObject) : {};
    if (method !== "GET" && method !== "POST") {
      shop.preflights.push(`${method} ${request.url}`);
      response.writeHead(405).end();
    } else if (SCRIPTS.has(url.pathname)) {
      response.setHeader("Content-Type", "text/javascript").end(SCRIPTS.get(url.pathname));
    } else if (url.pathname.endsWith("/visits")) {
      const { is_counted } = decide({ evidence: body.evidence ?? {} }, headers["user-agent"]);
      if (is_counted) shop.visits.push({ contentType: headers["content-type"], visit: body });
      response.writeHead(202).end();
    } else {
      shop.lookups.push(request.url ?? "");
      response.setHeader("Content-Type", "application/json");
      if (method === "GET") return shop.answer(response, url.searchParams.get("source") ?? "");
      shop.evidence.push(body);
      const decision = decide(body, headers["user-agent"]);
      shop.answer(response, decision.source ?? "", decision);
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
    evidence: [],
    visits: [],
    preflights: [],
    answer: (response, source, decision) =>
      response.end(createNumbersJson(NUMBERS[source] ?? "+15556667777", decision)),
    stopDniServer: () => stop(dni),
  };
  onTestFinished(() => Promise.all([stop(dni), stop(shopServer)]).then(() => {}));
  return shop;
}

type HttpServer = ReturnType<typeof createServer>;

async function listen(server: HttpServer): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Does nothing if the server is already stopped. */
async function stop(server: HttpServer): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
