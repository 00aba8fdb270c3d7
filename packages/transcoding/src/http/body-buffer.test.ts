import fc from "fast-check";
import { expect, test } from "vitest";
import { BodyBuffer } from "./body-buffer.js";

test("concatenates pieces of any size and does not change them", () => {
  const piece = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes));
  const property = fc.property(fc.array(piece), (pieces) => {
    const copies = pieces.map((each) => Buffer.from(each));
    const body = new BodyBuffer();
    for (const each of pieces) body.push(each);
    expect(Buffer.from(body.finish())).toEqual(Buffer.concat(copies));
    expect(body.size).toBe(Buffer.concat(copies).length);
    expect(pieces).toEqual(copies);
  });
  fc.assert(property);
});

test("uses at most three times the memory of a body pushed byte by byte", () => {
  const body = new BodyBuffer();
  for (let count = 0; count < 100_000; count++) body.push(Buffer.from([count % 256]));
  expect(body.finish()).toHaveLength(100_000);
  expect(body.finish().buffer.byteLength).toBeLessThan(300_000);
});

test("does not retain the larger buffer that a piece is a view of", () => {
  const read = Buffer.alloc(64 * 1024);
  for (const expectedBytes of [0, 1000]) {
    const body = new BodyBuffer(expectedBytes);
    body.push(read.subarray(100, 200));
    expect(body.finish().buffer).not.toBe(read.buffer);
    body.push(read.subarray(200, 1100));
    expect(Buffer.from(body.finish())).toEqual(read.subarray(100, 1100));
  }
});

test("allocates memory as pieces arrive, and at most the expected size", () => {
  const body = new BodyBuffer(1_000_000);
  body.push(Buffer.alloc(10_000));
  expect(body.finish().buffer.byteLength).toBeLessThan(100_000);
  for (let pieces = 1; pieces < 100; pieces++) body.push(Buffer.alloc(10_000));
  expect(body.finish().buffer.byteLength).toBe(1_000_000);
});
