import type { DescMessage, JsonObject } from "@bufbuild/protobuf";
import fc from "fast-check";
import { anyCharacter } from "../any-character.js";
import { changeBytes } from "./fuzz-binary.js";
import { ODD_JSON_TEXTS } from "./odd-values.js";

const anyText = fc.oneof(fc.constantFrom(...ODD_JSON_TEXTS), fc.string({ unit: anyCharacter, maxLength: 12 }));

/** JSON texts that `JSON.stringify` never produces. */
const oddText = fc.constantFrom(
  "",
  "{",
  "null",
  "[]",
  '"',
  "\ufeff{}",
  '{"a":1,"a":2}',
  '{"size":1e999}',
  '{"size":-1e-999}',
  '{"page_size":123456789012345678901234567890}',
  '{"\\ud800":1}',
  '{"account_token":"\\ud800"}',
  "[".repeat(5000),
  '{"a":'.repeat(5000),
  `${"[".repeat(3000)}${"]".repeat(3000)}`,
);

/**
 * Generates JSON bytes of four kinds: `valid` itself, objects with random known and unknown fields, such objects with one piece changed, and the
 * texts of `oddText`.
 */
export function fuzzJson(desc: DescMessage, valid: JsonObject): fc.Arbitrary<Uint8Array> {
  const text = fuzzJsonObject(desc, valid).map((object) => JSON.stringify(object));
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant(Buffer.from(JSON.stringify(valid))) },
    { weight: 5, arbitrary: text.map((json) => Buffer.from(json)) },
    { weight: 1, arbitrary: oddText.map((json) => Buffer.from(json)) },
    { weight: 2, arbitrary: text.chain((json) => changeBytes(Buffer.from(json))) },
  );
}

/** Generates objects that resemble the JSON of a message. */
export function fuzzJsonObject(desc: DescMessage, valid: JsonObject): fc.Arbitrary<JsonObject> {
  const names = desc.fields.flatMap(({ name, jsonName }) => [name, jsonName]);
  const name = names.length === 0 ? anyText : fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...names) }, anyText);
  const value = fc.oneof(
    anyText,
    fc.constantFrom(0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, true, null, [], {}),
    fc.jsonValue({ maxDepth: 2, stringUnit: anyCharacter }),
  );
  const added = fc.dictionary(name, value, { maxKeys: 3 });
  // `Object.fromEntries` keeps a field named `__proto__`, which `Object.assign` would use to set the prototype.
  return fc
    .tuple(fc.constantFrom(valid, {}), added)
    .map(([start, fields]) => Object.fromEntries([...Object.entries(start), ...Object.entries(fields)]) as JsonObject);
}
