import fc from "fast-check";
import { expect, test } from "vitest";
import { writeJsonNumber, writeJsonString, writeJsonTime } from "./json-values.js";

/** Returns the text that `write` writes from the place 3. */
function written(write: (out: DataView, place: number) => number): string {
  const out = new DataView(new ArrayBuffer(1000));
  return Buffer.from(out.buffer).toString("utf8", 3, write(out, 3));
}

function viewOf(text: string): DataView {
  const bytes = new TextEncoder().encode(text);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

test.each([
  [fc.string({ unit: "grapheme" })],
  [fc.string({ unit: "binary-ascii" })],
  [fc.string({ unit: fc.constantFrom('"', "\\", "\n", "é", "😀", "a") })],
])("strings are those of JSON.stringify: %#", (texts) => {
  fc.assert(
    fc.property(texts, (text) => {
      const source = viewOf(`x${text}x`);
      const end = source.byteLength - 1;
      expect(written((out, place) => writeJsonString(source, 1, end, out, place))).toBe(JSON.stringify(text));
    }),
  );
});

test("every ASCII character is escaped as in JSON.stringify, at every place", () => {
  for (let code = 0; code < 128; code++) {
    for (let place = 0; place < 7; place++) {
      const text = `${"a".repeat(place)}${String.fromCharCode(code)}${"\u00ff".repeat(7 - place)}`;
      const source = viewOf(text);
      expect(written((out, at) => writeJsonString(source, 0, source.byteLength, out, at))).toBe(JSON.stringify(text));
    }
  }
});

test("a string takes at most six bytes for each of its bytes, and two more", () => {
  const source = viewOf("\u0001".repeat(50));
  expect(writeJsonString(source, 0, 50, new DataView(new ArrayBuffer(302)), 0)).toBe(302);
});

test.each([
  [0, "0"],
  [-0, "-0"],
  [0.1, "0.1"],
  [-1.5e-300, "-1.5e-300"],
  [Number.NaN, '"NaN"'],
  [Number.NEGATIVE_INFINITY, '"-Infinity"'],
])("the number %s is %s", (value, text) => {
  expect(written((out, place) => writeJsonNumber(value, out, place))).toBe(text);
});

test("times are ISO 8601 in milliseconds", () => {
  const dates = fc.date({
    min: new Date("0001-01-01T00:00:00Z"),
    max: new Date("9999-12-31T23:59:59.999Z"),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(dates, (date) => {
      expect(written((out, place) => writeJsonTime(date.getTime(), out, place))).toBe(`"${date.toISOString()}"`);
    }),
  );
});

test.each([Date.parse("0000-12-31T23:59:59.999Z"), Date.parse("+010000-01-01T00:00:00Z"), Number.POSITIVE_INFINITY])(
  "times outside the years 1 to 9999 are refused: %s",
  (ms) => {
    expect(() => written((out, place) => writeJsonTime(ms, out, place))).toThrow("not within the years 1 to 9999");
  },
);
