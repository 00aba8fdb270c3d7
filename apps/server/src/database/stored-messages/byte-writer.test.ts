import { BinaryWriter } from "@bufbuild/protobuf/wire";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ByteWriter } from "./byte-writer.js";

/** Returns what `write` writes into a writer that has already been used. */
function written(write: (out: ByteWriter) => void): ByteWriter {
  const out = new ByteWriter();
  out.jsonString(Buffer.from("é"), 0, 2);
  out.clear();
  write(out);
  return out;
}

describe("JSON strings", () => {
  test.each([
    [fc.string({ unit: "grapheme" })],
    [fc.string({ unit: "binary-ascii" })],
    [fc.string({ unit: fc.constantFrom('"', "\\", "\n", "é", "😀", "a") })],
  ])("are those of JSON.stringify: %#", (texts) => {
    fc.assert(
      fc.property(fc.array(texts), (list) => {
        const out = written((writer) => {
          for (const text of list) {
            const bytes = Buffer.from(`x${text}x`);
            writer.jsonString(bytes, 1, bytes.length - 1);
          }
        });
        expect(out.toText()).toBe(list.map((text) => JSON.stringify(text)).join(""));
      }),
    );
  });

  test("may be longer than the buffer", () => {
    const text = "é\n".repeat(1_000_000);
    const out = written((writer) => writer.jsonString(Buffer.from(text), 0, Buffer.byteLength(text)));
    expect(out.toText()).toBe(JSON.stringify(text));
    out.clear();
    out.ascii("short");
    expect(out.toText()).toBe("short");
  });
});

describe("times", () => {
  test("are ISO 8601 in milliseconds", () => {
    const dates = fc.date({
      min: new Date("0001-01-01T00:00:00Z"),
      max: new Date("9999-12-31T23:59:59.999Z"),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(fc.array(dates), (list) => {
        const out = written((writer) => {
          for (const date of list) writer.jsonTime(date.getTime());
        });
        expect(out.toText()).toBe(list.map((date) => `"${date.toISOString()}"`).join(""));
      }),
    );
  });

  test.each([Date.parse("0000-12-31T23:59:59.999Z"), Date.parse("+010000-01-01T00:00:00Z"), Number.POSITIVE_INFINITY])(
    "are refused outside the years 1 to 9999: %s",
    (ms) => {
      expect(() => written((writer) => writer.jsonTime(ms))).toThrow("not within the years 1 to 9999");
    },
  );
});

describe("the binary format", () => {
  test("has the varints of protobuf-es", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.integer(), fc.maxSafeInteger())), (list) => {
        const reference = new BinaryWriter();
        for (const value of list) reference.int64(value);
        const out = written((writer) => {
          for (const value of list) writer.varint(value);
        });
        expect([...out.toBytes()]).toEqual([...reference.finish()]);
      }),
    );
  });

  test("has the doubles of protobuf-es", () => {
    fc.assert(
      fc.property(fc.array(fc.double()), (list) => {
        const reference = new BinaryWriter();
        for (const value of list) reference.double(value);
        const out = written((writer) => {
          for (const value of list) writer.double(value);
        });
        expect([...out.toBytes()]).toEqual([...reference.finish()]);
      }),
    );
  });

  test.each([0, 1, 127, 128, 16_383, 16_384, 3_000_000])("has a length before %d bytes", (length) => {
    const content = Buffer.alloc(length, 7);
    const reference = new BinaryWriter().bytes(content).finish();
    const out = written((writer) => {
      const start = writer.startMessage();
      writer.copy(content, 0, length);
      writer.endMessage(start);
    });
    expect(Buffer.compare(out.toBytes(), reference)).toBe(0);
  });
});
