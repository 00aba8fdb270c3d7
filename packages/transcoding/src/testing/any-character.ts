import fc from "fast-check";

/**
 * Generates single Unicode characters, including unassigned ones, but no lone surrogates. The unit `binary` of `fc.string` generates the same
 * characters, but builds a map of all of them first, which takes seconds.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map(
    (code) => String.fromCodePoint(code),
    (text) => (typeof text === "string" && Array.from(text).length === 1 ? text.codePointAt(0) : undefined) ?? -1,
  );
