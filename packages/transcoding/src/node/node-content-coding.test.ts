import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { RequestError } from "../http/request-error.js";
import { createNodeContentCodings } from "./node-content-coding.js";

const MAX_BYTES = 1024 * 1024;
const [gzip, br] = ["gzip", "br"].map((name) => createNodeContentCodings().find((coding) => coding.name === name));

test("decompresses many bodies concurrently", async () => {
  const texts = Array.from({ length: 50 }, (_, index) => Buffer.from(`${index} `.repeat(1 + index * 200)));
  const decoded = await Promise.all(
    texts.map((text, index) =>
      index % 2 === 0 ? gzip?.decode(gzipSync(text), MAX_BYTES) : br?.decode(brotliCompressSync(text), MAX_BYTES),
    ),
  );
  expect(decoded).toEqual(texts);
});

test("does not delay other bodies after rejecting one", async () => {
  const bomb = gzipSync(Buffer.alloc(16 * MAX_BYTES));
  const bodies = [bomb, bomb, Buffer.from("damaged"), bomb, gzipSync(Buffer.from("good"))];
  const results = await Promise.allSettled(bodies.map((body) => gzip?.decode(body, MAX_BYTES)));
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected", "rejected", "fulfilled"]);
  expect(await gzip?.decode(gzipSync(Buffer.from("later")), MAX_BYTES)).toEqual(Buffer.from("later"));
});

test.each([
  ["gzip", gzipSync],
  ["br", brotliCompressSync],
  ["zstd", zstdCompressSync],
])("rejects data after a body in %s", async (name, compress) => {
  const coding = createNodeContentCodings().find((each) => each.name === name);
  const body = compress(Buffer.from("content"));
  expect(await coding?.decode(body, MAX_BYTES)).toEqual(Buffer.from("content"));
  const decoded = coding?.decode(Buffer.concat([body, Buffer.from("rest")]), MAX_BYTES);
  await expect(decoded).rejects.toEqual(expect.objectContaining({ reason: "BODY_MALFORMED" }));
  await expect(decoded).rejects.toBeInstanceOf(RequestError);
});

test.each([
  ["gzip", gzipSync],
  ["zstd", zstdCompressSync],
])("decompresses several parts in %s as one body", async (name, compress) => {
  const coding = createNodeContentCodings().find((each) => each.name === name);
  const parts = [compress(Buffer.from("a")), compress(Buffer.from("b"))];
  expect(await coding?.decode(Buffer.concat(parts), MAX_BYTES)).toEqual(Buffer.from("ab"));
});
