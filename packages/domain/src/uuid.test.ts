import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "./testing/any-text.js";
import { parseUuid } from "./uuid.js";

const UUID = "019aa2b4-7c3d-7e5f-8a9b-0c1d2e3f4a5b";

describe("parseUuid", () => {
  test.each<[name: string, text: string, uuid: string | undefined]>([
    ["lower case", UUID, UUID],
    ["upper case", UUID.toUpperCase(), UUID],
    ["mixed case", UUID.replaceAll("a", "A"), UUID],
    ["the nil UUID", "00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000000"],
    ["nothing", "", undefined],
    ["a digit too few", UUID.slice(1), undefined],
    ["a digit too many", `${UUID}0`, undefined],
    ["no hyphens", UUID.replaceAll("-", ""), undefined],
    ["a hyphen in the wrong place", "019aa2b47-c3d-7e5f-8a9b-0c1d2e3f4a5b", undefined],
    ["braces", `{${UUID}}`, undefined],
    ["a URN", `urn:uuid:${UUID}`, undefined],
    ["a letter that is no digit", UUID.replace("a", "g"), undefined],
    ["full-width digits", UUID.replace("0", "\uff10"), undefined],
    ["a space in front", ` ${UUID}`, undefined],
    ["a line feed behind", `${UUID}\n`, undefined],
    ["NUL behind", `${UUID}\0`, undefined],
  ])("%s", (_, text, uuid) => {
    expect(parseUuid(text)).toBe(uuid);
  });

  test("ignores case and is idempotent", () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        expect(parseUuid(uuid)).toBe(uuid);
        expect(parseUuid(uuid.toUpperCase())).toBe(uuid);
      }),
    );
  });

  test("returns the text in lower case, or undefined", () => {
    fc.assert(
      fc.property(fc.oneof(fc.uuid(), fc.mixedCase(fc.uuid()), anyText(40)), (text) => {
        const uuid = parseUuid(text);
        if (uuid === undefined) return;
        expect(uuid).toMatch(/^[0-9a-f-]{36}$/);
        expect(uuid).toBe(text.toLowerCase());
      }),
    );
  });
});
