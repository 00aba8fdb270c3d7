import fc from "fast-check";
import { expect, test } from "vitest";
import { BodyBuffer } from "./body-buffer.js";

test("whatever the pieces, the whole is there, and the pieces are as they were", () => {
  const piece = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes));
  const property = fc.property(fc.array(piece), (pieces) => {
    const copies = pieces.map((each) => Buffer.from(each));
    const body = new BodyBuffer();
    for (const each of pieces) body.push(each);
    expect(body.take()).toEqual(Buffer.concat(copies));
    expect(body.size).toBe(Buffer.concat(copies).length);
    expect(pieces).toEqual(copies);
  });
  fc.assert(property);
});

test("bytes that come one by one take no more memory than twice as many", () => {
  const body = new BodyBuffer();
  for (let count = 0; count < 100_000; count++) body.push(Buffer.from([count % 256]));
  expect(body.take()).toHaveLength(100_000);
  expect(body.take().buffer.byteLength).toBeLessThan(300_000);
});
