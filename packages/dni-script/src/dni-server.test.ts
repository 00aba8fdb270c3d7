import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { findNumbers, reportVisit } from "./dni-server.js";

const GOOGLE = { source: "google", medium: "cpc" };

async function serve(listener: RequestListener): Promise<AsyncDisposable & { readonly property: string }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    property: `http://127.0.0.1:${port}/dni_manager/accounts/acme/properties/shop/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function pair(original_number: string, number: string) {
  return { pool_id: "b5a8a0d2-6e0c-4b5e-9d5b-0d7c9d1f7a11", original_number, number };
}

describe("findNumbers", () => {
  test("requests the numbers of the source and returns the pairs", async () => {
    let asked: string | undefined;
    await using server = await serve((request, response) => {
      asked = request.url;
      response.end(JSON.stringify([pair("+12223334444", "+15556667777"), pair("+12223335555", "+12223335555")]));
    });
    const numbers = await findNumbers(server.property, { source: "spring & more", medium: "(not set)" });
    expect(asked).toBe(
      "/dni_manager/accounts/acme/properties/shop/numbers?source=spring+%26+more&medium=%28not+set%29",
    );
    expect(numbers).toEqual([pair("+12223334444", "+15556667777")]);
  });

  test("leaves out an original that is the replacement in another pair", async () => {
    const numbers = [pair("+12223334444", "+15556667777"), pair("+15556667777", "+12223338888")];
    await using server = await serve((_, response) => response.end(JSON.stringify(numbers)));
    expect(await findNumbers(server.property, GOOGLE)).toEqual([numbers[0]]);
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
    await expect(findNumbers(server.property, GOOGLE)).rejects.toThrow();
  });

  test("rejects a response that times out, also halfway", async () => {
    await using silent = await serve(() => {});
    await using halting = await serve((_, response) => void response.write("["));
    await Promise.all(
      [silent, halting].map(({ property }) =>
        expect(findNumbers(property, GOOGLE)).rejects.toThrow("aborted due to timeout"),
      ),
    );
  });

  test("rejects if the server is unreachable", async () => {
    const { property, ...server } = await serve(() => {});
    await server[Symbol.asyncDispose]();
    await expect(findNumbers(property, GOOGLE)).rejects.toThrow();
  });
});

describe("reportVisit", () => {
  test("sends the visit as JSON without a CORS preflight", async () => {
    let received: (request: unknown) => void;
    const request = new Promise((resolve) => {
      received = resolve;
    });
    await using server = await serve(async (request, response) => {
      const { method, url, headers } = request;
      received([method, url, headers["content-type"], await text(request)]);
      response.end();
    });
    reportVisit(server.property, "1d7c9d1f-6e0c-4b5e-9d5b-0d7c9d1f7a11", GOOGLE);
    expect(await request).toEqual([
      "POST",
      "/dni_manager/accounts/acme/properties/shop/visits",
      undefined,
      '{"event_id":"1d7c9d1f-6e0c-4b5e-9d5b-0d7c9d1f7a11","source":"google","medium":"cpc"}',
    ]);
  });
});
