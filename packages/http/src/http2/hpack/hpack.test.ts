import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HpackDecoder } from "./hpack-decoder.js";
import { encodeFields, literalBytes, writeLiterals } from "./hpack-encoder.js";
import { decodeHuffman } from "./huffman.js";

function bytes(hex: string): Buffer {
  return Buffer.from(hex.replaceAll(" ", ""), "hex");
}

function decodeAll(blocks: readonly string[], tableSize = 4096) {
  const decoder = new HpackDecoder(tableSize, 2 ** 20);
  return blocks.map((block) => decoder.decode(bytes(block)));
}

const REQUESTS = [
  [":method", "GET", ":scheme", "http", ":path", "/", ":authority", "www.example.com"],
  [":method", "GET", ":scheme", "http", ":path", "/", ":authority", "www.example.com", "cache-control", "no-cache"],
  [
    ":method",
    "GET",
    ":scheme",
    "https",
    ":path",
    "/index.html",
    ":authority",
    "www.example.com",
    "custom-key",
    "custom-value",
  ],
];
const DATE = "Mon, 21 Oct 2013 20:13:21 GMT";
const LOCATION = "https://www.example.com";
const RESPONSES = [
  [":status", "302", "cache-control", "private", "date", DATE, "location", LOCATION],
  [":status", "307", "cache-control", "private", "date", DATE, "location", LOCATION],
  [
    ...[":status", "200", "cache-control", "private", "date", "Mon, 21 Oct 2013 20:13:22 GMT", "location", LOCATION],
    ...["content-encoding", "gzip", "set-cookie", "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1"],
  ],
];

describe("the examples of RFC 7541 appendix C", () => {
  test.each([
    ["C.2.1", "400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572", ["custom-key", "custom-header"]],
    ["C.2.2", "040c 2f73 616d 706c 652f 7061 7468", [":path", "/sample/path"]],
    ["C.2.3", "1008 7061 7373 776f 7264 0673 6563 7265 74", ["password", "secret"]],
    ["C.2.4", "82", [":method", "GET"]],
  ])("%s", (_, block, fields) => {
    expect(decodeAll([block])).toEqual([fields]);
  });

  test("C.3: requests without Huffman coding", () => {
    const blocks = [
      "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
      "8286 84be 5808 6e6f 2d63 6163 6865",
      "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
    ];
    expect(decodeAll(blocks)).toEqual(REQUESTS);
  });

  test("C.4: requests with Huffman coding", () => {
    const blocks = [
      "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
      "8286 84be 5886 a8eb 1064 9cbf",
      "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
    ];
    expect(decodeAll(blocks)).toEqual(REQUESTS);
  });

  test("C.6: responses with Huffman coding and a table of 256 bytes", () => {
    const blocks = [
      "4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3",
      "4883 640e ffc1 c0bf",
      "88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07",
    ];
    expect(decodeAll(blocks, 256)).toEqual(RESPONSES);
  });
});

describe("rejects a block", () => {
  test.each([
    ["with index 0", "80"],
    ["with an index beyond the tables", "be"],
    ["with a name index beyond the tables", "7f00 0161"],
    ["with an incomplete string", "0003 6162"],
    ["with an incomplete integer", "ff"],
    ["with an endless integer", "ffff ffff ffff ffff ffff ffff"],
    ["with an integer that is too large", "7fff ffff ff0f"],
    ["with a table size beyond the maximum", "3fe2 1f"],
    ["with a table size update after a field", "8220"],
    ["with padding of more than 7 bits", "0001 6182 1fff"],
    ["with padding of zeros", "0001 6181 18"],
    ["with the EOS symbol", "0001 6184 ffff ffff"],
  ])("%s", (_, block) => {
    expect(() => decodeAll([block])).toThrow(expect.objectContaining({ code: 9 }));
  });
});

test("truncates a list that is too large, and still updates the table", () => {
  const decoder = new HpackDecoder(4096, 100);
  expect(decoder.decode(bytes("4001 6101 62 0001 6101 62 0001 6101 62"))).toEqual(["a", "b", "a", "b"]);
  expect(decoder.isTruncated).toBe(true);
  expect(decoder.decode(bytes("be"))).toEqual(["a", "b"]);
  expect(decoder.isTruncated).toBe(false);
});

test("returns the same list for equal blocks until the table changes", () => {
  const decoder = new HpackDecoder(4096, 2 ** 20);
  decoder.decode(bytes("4001 6101 62"));
  const first = decoder.decode(bytes("be"));
  expect(decoder.decode(bytes("be"))).toBe(first);
  decoder.decode(bytes("4001 6101 63"));
  expect(decoder.decode(bytes("be"))).toEqual(["a", "c"]);
});

const arbitraryText = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .filter((code) => code !== 0x7f)
    .map((code) => String.fromCharCode(code)),
  maxLength: 40,
});
const arbitraryName = fc.oneof(
  fc.constantFrom("content-type", "grpc-status", ":status", "vary", "cookie", "x-a"),
  fc.stringMatching(/^[a-z-]{1,200}$/),
);
const arbitraryFields = fc
  .array(fc.tuple(arbitraryName, fc.oneof(fc.constantFrom("200", "application/grpc", ""), arbitraryText)), {
    maxLength: 8,
  })
  .map((fields) => fields.flat());

test("decodes what it encodes", () => {
  const arbitraryStep = fc.record({
    fields: fc.oneof(
      arbitraryFields,
      arbitraryFields.map((fields) => Object.freeze(fields)),
    ),
    times: fc.integer({ min: 1, max: 3 }),
    own: arbitraryFields,
  });
  fc.assert(
    fc.property(fc.array(arbitraryStep), (steps) => {
      const decoder = new HpackDecoder(4096, 2 ** 20);
      for (const { fields, times, own } of steps) {
        for (let time = 0; time < times; time++) expect(decoder.decode(encodeFields(fields))).toEqual(fields);
        const rest = Buffer.alloc(literalBytes(own));
        expect(writeLiterals(own, rest, 0)).toBe(rest.length);
        expect(decoder.decode(Buffer.concat([encodeFields(fields), rest]))).toEqual([...fields, ...own]);
      }
    }),
  );
});

test("encodes a frozen list only once", () => {
  const frozen = Object.freeze(["content-type", "a"]);
  expect(encodeFields(frozen)).toBe(encodeFields(frozen));
});

test("sets the table size to 0, and uses only the static table", () => {
  const fields = [":status", "200", "content-type", "a", "x-a", "b"];
  expect(encodeFields(fields).toString("hex")).toBe("20880f1001610003782d610162");
});

test("decodes or rejects arbitrary bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array(), (block) => {
      const decoder = new HpackDecoder(4096, 2 ** 20);
      try {
        decoder.decode(Buffer.from(block));
      } catch (error) {
        expect(error).toMatchObject({ name: "ConnectionError", code: 9 });
      }
      try {
        decodeHuffman(Buffer.from(block), 0, block.length);
      } catch (error) {
        expect(error).toMatchObject({ name: "ConnectionError", code: 9 });
      }
    }),
  );
});
