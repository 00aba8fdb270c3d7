import { BinaryWriter } from "@bufbuild/protobuf/wire";
import fc from "fast-check";
import { expect, test } from "vitest";
import { toWords, writeAscii, writeBytes, writeDecimal, writeVarint, writeWords } from "./bytes.js";

const PLACE = 3;

/** Returns the bytes that `write` writes from the place 3. */
function written(write: (out: DataView) => number): Buffer {
  const out = Buffer.alloc(200, 0xaa);
  const end = write(new DataView(out.buffer, out.byteOffset, out.length));
  expect([...out.subarray(0, PLACE)]).toEqual([0xaa, 0xaa, 0xaa]);
  return out.subarray(PLACE, end);
}

const ascii = fc.string({ unit: "binary-ascii", maxLength: 100 });

test("ASCII text is written in bytes and in words", () => {
  fc.assert(
    fc.property(ascii, (text) => {
      expect(written((out) => writeAscii(text, out, PLACE)).toString()).toBe(text);
      const inWords = written((out) => writeWords(toWords(text), out, PLACE));
      expect(inWords.toString()).toBe(text);
    }),
  );
});

test("a part of a buffer is copied", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 2, maxLength: 100 }), (source) => {
      const end = source.length - 1;
      const view = new DataView(source.buffer);
      expect([...written((out) => writeBytes(view, 1, end, out, PLACE))]).toEqual([...source.subarray(1, end)]);
    }),
  );
});

test("integers are written in decimal digits", () => {
  const integers = fc.oneof(fc.nat(), fc.maxSafeNat(), fc.constantFrom(0, 9, 10, 999_999_999, 1e9, 1e18 / 1000));
  fc.assert(
    fc.property(integers, (value) => {
      expect(written((out) => writeDecimal(value, out, PLACE)).toString()).toBe(`${value}`);
    }),
  );
});

test("varints are those of protobuf-es", () => {
  fc.assert(
    fc.property(fc.oneof(fc.integer(), fc.maxSafeInteger()), (value) => {
      expect([...written((out) => writeVarint(value, out, PLACE))]).toEqual([
        ...new BinaryWriter().int64(value).finish(),
      ]);
    }),
  );
});
