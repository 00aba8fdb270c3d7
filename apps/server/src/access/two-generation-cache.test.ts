import { expect, test } from "vitest";
import { TwoGenerationCache } from "./two-generation-cache.js";

test("returns the last value, or undefined for a missing key", () => {
  const map = new TwoGenerationCache<string, number>(10);
  map.set("a", 1);
  map.set("a", 2);
  expect(map.get("a")).toBe(2);
  expect(map.get("b")).toBeUndefined();
});

test("never exceeds its bound, and keeps the latest half of the entries", () => {
  const map = new TwoGenerationCache<number, number>(100);
  for (let key = 0; key < 1000; key++) map.set(key, key);
  const kept = Array.from({ length: 1000 }, (_, key) => key).filter((key) => map.get(key) !== undefined);
  expect(kept.length).toBeLessThanOrEqual(100);
  expect(kept).toEqual(expect.arrayContaining(Array.from({ length: 50 }, (_, index) => 950 + index)));
});

test("keeps entries that are read, however many others follow", () => {
  const map = new TwoGenerationCache<number, string>(10);
  map.set(-1, "kept");
  for (let key = 0; key < 1000; key++) {
    map.set(key, "");
    expect(map.get(-1)).toBe("kept");
  }
});

test("drops nothing when an existing key is set again", () => {
  const map = new TwoGenerationCache<number, string>(10);
  for (let key = 0; key < 10; key++) map.set(key, "old");
  for (let turn = 0; turn < 10; turn++) map.set(9, "new");
  expect([0, 5, 9].map((key) => map.get(key))).toEqual(["old", "old", "new"]);
});
