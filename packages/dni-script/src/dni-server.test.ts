import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { fetchNumbers, reportVisit } from "./dni-server.js";
import { startVisit, type TrafficSource, type Visit } from "./visit.js";

const EVIDENCE = startVisit("https://shop.example/?gclid=1", "https://www.google.com/").evidence;

const EVENT = "1d7c9d1f-6e0c-4b5e-9d5b-0d7c9d1f7a11";

function createVisit(origin?: TrafficSource): Visit {
  return { evidence: EVIDENCE, campaign: [], event: EVENT, meanings: {}, ...(origin && { origin }) };
}

const GOOGLE = { source: "google", medium: "cpc" };

/** The method, path below the property, content type and body of a request that the server received. */
type Received = readonly (string | undefined)[];

async function receive(request: IncomingMessage): Promise<Received> {
  const path = request.url?.replace("/dni_manager/accounts/acme/properties/shop/", "");
  return [request.method, path, request.headers["content-type"], await text(request)];
}

async function serve(listener: RequestListener): Promise<AsyncDisposable & { readonly property: string }> {
  const server = createServer(listener);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    property: `http://127.0.0.1:${port}/dni_manager/accounts/acme/properties/shop/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}

function pair(original_number: string, number: string) {
  return { pool_id: "b5a8a0d2-6e0c-4b5e-9d5b-0d7c9d1f7a11", original_number, number };
}

describe("fetchNumbers", () => {
  const numbers = [pair("+12223334444", "+15556667777"), pair("+12223335555", "+12223335555")];

  test("sends the evidence first, without a CORS preflight, and then requests the numbers of the source decided", async () => {
    const received: Received[] = [];
    await using server = await serve(async (request, response) => {
      received.push(await receive(request));
      const decided = {
        ...{ source: "spring & more", medium: "(not set)", rule: "campaign", is_counted: true },
        ...{ site: "shop.example", numbers },
      };
      response.end(JSON.stringify(request.method === "POST" ? decided : numbers));
    });
    const visit = createVisit();
    expect(await fetchNumbers(server.property, visit)).toEqual([numbers[0]]);
    expect(visit).toMatchObject({ origin: { source: "spring & more", medium: "(not set)" }, site: "shop.example" });
    expect(await fetchNumbers(server.property, visit)).toEqual([numbers[0]]);
    expect(received).toEqual([
      ["POST", "visits:resolve", undefined, JSON.stringify({ evidence: EVIDENCE })],
      ["GET", "numbers?source=spring+%26+more&medium=%28not+set%29", undefined, ""],
    ]);
  });

  test("returns no numbers to a crawler, which has no source", async () => {
    await using server = await serve((_, response) =>
      response.end('{"rule":"crawler","is_counted":false,"numbers":[]}'),
    );
    const visit = createVisit();
    expect(await fetchNumbers(server.property, visit)).toEqual([]);
    expect(visit).toEqual(createVisit());
  });

  test("does not store the source of a response with invalid numbers", async () => {
    const answer = { source: "google", medium: "cpc", numbers: [pair("call us", "+15556667777")] };
    await using server = await serve((_, response) => response.end(JSON.stringify(answer)));
    const visit = createVisit();
    await expect(fetchNumbers(server.property, visit)).rejects.toThrow();
    expect(visit).toEqual(createVisit());
  });

  test("leaves out an original that is the replacement in another pair", async () => {
    const numbers = [pair("+12223334444", "+15556667777"), pair("+15556667777", "+12223338888")];
    await using server = await serve((_, response) => response.end(JSON.stringify(numbers)));
    expect(await fetchNumbers(server.property, createVisit(GOOGLE))).toEqual([numbers[0]]);
  });

  test.each<[name: string, answer: string]>([
    ["an empty response", ""],
    ["a page", "<!doctype html><title>502</title>"],
    ["an object", '{"code":"not_found"}'],
    ["null", "null"],
    ["a list of null", "[null]"],
    ["half a list", '[{"original_number":"+12223334444"'],
  ])("rejects %s", async (_, answer) => {
    await using server = await serve((_request, response) => response.end(answer));
    await expect(fetchNumbers(server.property, createVisit(GOOGLE))).rejects.toThrow();
  });

  test.each([["120"], [null]])("rejects an error with the Retry-After of the response: %j", async (retryAfter) => {
    await using server = await serve((_, response) =>
      response.writeHead(503, retryAfter === null ? {} : { "retry-after": retryAfter }).end("[]"),
    );
    await expect(fetchNumbers(server.property, createVisit(GOOGLE))).rejects.toBe(retryAfter);
  });

  test("rejects a response that times out, also halfway", async () => {
    await using silent = await serve(() => {});
    await using halting = await serve((_, response) => void response.write("["));
    await Promise.all(
      [silent, halting].map(({ property }) =>
        expect(fetchNumbers(property, createVisit(GOOGLE))).rejects.toThrow("aborted due to timeout"),
      ),
    );
  });

  test("rejects if the server is unreachable", async () => {
    const { property, ...server } = await serve(() => {});
    await server[Symbol.asyncDispose]();
    await expect(fetchNumbers(property, createVisit(GOOGLE))).rejects.toThrow();
  });
});

describe("reportVisit", () => {
  test("sends the evidence as JSON without a CORS preflight, even if the source is known", async () => {
    const received: Received[] = [];
    await using server = await serve(async (request, response) => {
      received.push(await receive(request));
      response.end();
    });
    reportVisit(server.property, createVisit(GOOGLE));
    const body = JSON.stringify({ event_id: EVENT, evidence: EVIDENCE });
    await expect.poll(() => received).toEqual([["POST", "visits", undefined, body]]);
  });
});
