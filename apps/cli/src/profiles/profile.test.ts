import { describe, expect, test } from "vitest";
import { profileFromJson, profileToJson, requireProfileName } from "./profile.js";

test("a profile survives a round trip", () => {
  const server = "https://calltrack.example.com";
  for (const profile of [{ server }, { server, key: "ct_x", ca: "/ca.pem", cert: "/a.pem", certKey: "/a.key" }]) {
    expect(profileFromJson(profileToJson(profile))).toStrictEqual(profile);
  }
});

test.each(["", "{", "[]", "null", '"a"', '{"key": "ct_x"}', '{"server": 1}', '{"server": "http://a", "key": 1}'])(
  "rejects %j",
  (text) => {
    expect(profileFromJson(text)).toBeUndefined();
  },
);

describe("requireProfileName", () => {
  test.each(["default", "a", "A-1.b_c", "x".repeat(64)])("accepts %j", (name) => {
    expect(requireProfileName(name)).toBe(name);
  });

  test.each(["", ".", "..", "../x", ".x", "-x", "a/b", "a b", "ä", "x".repeat(65)])("rejects %j", (name) => {
    expect(() => requireProfileName(name)).toThrow("a profile name may contain letters, digits");
  });
});
