import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { createLibrary } from "../testing/library.js";
import { testRuntimes } from "../testing/test-runtime.js";

const long = createLibrary({ getShelf: ({ name }) => ({ name, theme: "x".repeat(2000) }) });
const decoders = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync };

describe.each(testRuntimes)("over $name", ({ serve, serveLibrary }) => {
  test.each([
    ["gzip", "gzip"],
    ["gzip, br", "br"],
    ["gzip;q=0.9, br;q=0.8", "gzip"],
    ["br;q=0, *", "zstd"],
    ["gzip;q=0.5, identity;q=0.1", "gzip"],
    ["x-gzip", "gzip"],
    ["GZIP ; Q=1.0", "gzip"],
  ] as const)("rule 11: Accept-Encoding %s gives %s", async (acceptEncoding, coding) => {
    await using server = await serve(long);
    const response = await server.send({ target: "/v1/shelves/7", headers: { "accept-encoding": acceptEncoding } });
    expect(response.headers).toMatchObject({
      "content-encoding": coding,
      vary: "accept-encoding",
      "content-length": String(response.bytes.length),
    });
    const text = decoders[coding](response.bytes).toString();
    expect(JSON.parse(text)).toEqual({ name: "shelves/7", theme: "x".repeat(2000) });
  });

  test.each([["identity"], ["deflate"], ["gzip;q=0"], ["gzip;q=0.5, identity"], ["gzip;q=x"], [""]])(
    "rule 11: sends an uncompressed body for Accept-Encoding %j",
    async (acceptEncoding) => {
      await using server = await serve(long);
      const response = await server.send({ target: "/v1/shelves/7", headers: { "accept-encoding": acceptEncoding } });
      expect(response.headers).not.toHaveProperty("content-encoding");
      expect(response.headers).toMatchObject({ vary: "accept-encoding" });
    },
  );

  test("rule 11: does not compress small bodies, or any body if compression is off", async () => {
    const headers = { "accept-encoding": "gzip" };
    const methods = {
      getShelf: ({ name }: { name: string }) => ({ name, theme: name.endsWith("0") ? "" : "x".repeat(2000) }),
    };
    await using server = await serveLibrary(methods);
    expect((await server.send({ target: "/v1/shelves/0", headers })).headers).not.toHaveProperty("content-encoding");
    await using plain = await serveLibrary(methods, { compression: false });
    const response = await plain.send({ target: "/v1/shelves/1", headers });
    expect(response.headers).not.toHaveProperty("content-encoding");
    expect(response.headers).not.toHaveProperty("vary");
  });

  test("rule 21: answers a HEAD with the headers of the GET", async () => {
    await using server = await serve(long);
    const headers = { "accept-encoding": "gzip" };
    const get = await server.send({ target: "/v1/shelves/7", headers });
    const head = await server.send({ method: "HEAD", target: "/v1/shelves/7", headers });
    expect(head).toMatchObject({ status: 200, text: "" });
    expect(head.headers).toMatchObject({ "content-encoding": "gzip", "content-length": get.headers["content-length"] });
  });
});
