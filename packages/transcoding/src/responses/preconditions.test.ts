import { describe, expect, test } from "vitest";
import { recordCalls } from "../testing/library.js";
import { testRuntimes } from "../testing/test-runtime.js";

const SHELF = "/v1/shelves/7";

const METHODS = {
  getShelf: ({ name }: { name: string }) => ({ name, theme: "x".repeat(2000), etag: '"v1"' }),
  updateShelf: ({ name }: { name: string }) => ({ name, etag: '"v2"' }),
};

describe.each(testRuntimes)("over $name", ({ serveLibrary }) => {
  test.each<[headers: Record<string, string | string[]>, status: number]>([
    [{ "if-none-match": '"v1"' }, 304],
    [{ "if-none-match": 'W/"v1"' }, 304],
    [{ "if-none-match": '"v0", "v1"' }, 304],
    [{ "if-none-match": "*" }, 304],
    [{ "if-none-match": '"v0"' }, 200],
    [{ "if-none-match": "v1" }, 200],
    [{ "if-match": '"v1"' }, 200],
    [{ "if-match": '"v0", "v1"' }, 200],
    [{ "if-match": "*" }, 200],
    [{ "if-match": 'W/"v1"' }, 412],
    [{ "if-match": '"v0"' }, 412],
    [{ "if-match": "v1" }, 200],
    [{ "if-match": "" }, 200],
    [{ "if-match": "v1", "if-none-match": '"v1"' }, 304],
    [{ "if-none-match": ['"v0"', '"v1"'] }, 304],
    [{ "if-none-match": ['"v0"', "v1"] }, 200],
    [{ "if-match": ['"v0"', '"v1"'] }, 200],
    [{ "if-match": ['"v2"', '"v0"'] }, 412],
    [{ "if-match": '"v1"', "if-none-match": '"v1"' }, 304],
    [{ "if-match": '"v0"', "if-none-match": '"v1"' }, 412],
  ])("rule 23: answers a GET and a HEAD with %j with %i", async (headers, status) => {
    await using server = await serveLibrary(METHODS);
    const answer = await server.send({ target: SHELF, headers });
    expect(answer).toMatchObject({ status });
    expect(await server.send({ method: "HEAD", target: SHELF, headers })).toMatchObject({ status, text: "" });
    if (status === 412) {
      expect(answer.error).toMatchObject({ status: "ABORTED", details: [{ reason: "ETAG_MISMATCH" }] });
    } else {
      expect(answer.headers).toMatchObject({ etag: '"v1"' });
    }
  });

  test("rule 23: sends a 304 without body, Content-Type and Content-Length", async () => {
    await using server = await serveLibrary(METHODS);
    const { text, headers } = await server.send({ target: SHELF, headers: { "if-none-match": '"v1"' } });
    expect(text).toBe("");
    expect(headers).not.toHaveProperty("content-type");
    expect(headers).not.toHaveProperty("content-length");
  });

  test("rule 23: ignores conditions for errors, writes and resources without an ETag", async () => {
    const headers = { "if-none-match": "*", "if-match": '"v1"' };
    await using server = await serveLibrary({ ...METHODS, getShelf: ({ name }) => ({ name }) });
    expect(await server.send({ target: SHELF, headers })).toMatchObject({ status: 200 });
    const put = { method: "PUT", target: SHELF, body: "{}", headers };
    expect(await server.send(put)).toMatchObject({ status: 200, headers: { etag: '"v2"' } });
    expect(await server.send({ target: "/v1/shelves", headers })).toMatchObject({ status: 501 });
  });

  test.each<[Record<string, string | string[]>]>([
    [{ "if-match": "v1" }],
    [{ "if-match": "" }],
    [{ "if-match": '"v1", v2' }],
    [{ "if-match": ['"v1"', "*"] }],
    [{ "if-none-match": "v1" }],
    [{ "if-none-match": ['"v1"', '"v2'] }],
  ])("rule 23: rejects a write with the malformed %j", async (headers) => {
    const { calls, method } = recordCalls();
    await using server = await serveLibrary({ updateShelf: method, createShelf: method });
    for (const [method, target, body] of [
      ["PUT", SHELF, "{}"],
      ["POST", "/v1/shelves", "{}"],
      ["DELETE", SHELF, undefined],
    ] as const) {
      const { status, error } = await server.send({ method, target, body, headers });
      expect([status, error.details[0].fieldViolations.length]).toEqual([400, 1]);
      expect(error.message).toContain(Object.keys(headers)[0] === "if-match" ? "If-Match" : "If-None-Match");
    }
    expect(calls).toEqual([]);
  });

  test("rule 23: reads several lines of a condition as one list", async () => {
    const { calls, method } = recordCalls();
    await using server = await serveLibrary({ updateShelf: method });
    const put = { method: "PUT", target: SHELF, body: "{}", headers: { "if-match": ['"v1"', 'W/"v2"'] } };
    expect(await server.send(put)).toMatchObject({ status: 200 });
    expect(calls).toMatchObject([{ request: { etag: '"v1", W/"v2"' } }]);
  });

  test("rule 11: does not compress a response with an ETag", async () => {
    await using server = await serveLibrary(METHODS);
    const { headers } = await server.send({ target: SHELF, headers: { "accept-encoding": "gzip" } });
    expect(headers).not.toHaveProperty("content-encoding");
    expect(headers).not.toHaveProperty("vary");
  });
});
