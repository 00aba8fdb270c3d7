import { describe, expect, test } from "vitest";
import { parseDuration } from "./duration-text.js";

describe("durations in ProtoJSON", () => {
  test.each([
    ["0s", 0n, 0],
    ["-0s", 0n, 0],
    ["1s", 1n, 0],
    ["1.5s", 1n, 500_000_000],
    ["-1.000000001s", -1n, -1],
    ["-0.5s", 0n, -500_000_000],
    ["315576000000s", 315576000000n, 0],
  ])("parses %s", (text, seconds, nanos) => {
    expect(parseDuration(text)).toMatchObject({ seconds, nanos });
  });

  test.each([
    "",
    "1",
    "s",
    "1m",
    "+1s",
    ".5s",
    "1.s",
    "1.0123456789s",
    "1e3s",
    "1s ",
    "1sx",
    "315576000000.5s",
    "-315576000001s",
  ])("rejects %j", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});
