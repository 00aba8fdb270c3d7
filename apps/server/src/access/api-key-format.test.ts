import { expect, test } from "vitest";
import {
  extractApiKeyPrefix,
  generateApiKey,
  hasApiKeyPrefix,
  hashApiKey,
  isWellFormedApiKey,
} from "./api-key-format.js";

test("a key starts with its prefix and is distinct from other credentials", () => {
  const { key, prefix } = generateApiKey();
  expect(key).toMatch(/^ct_[0-9a-z]{12}_[0-9A-Za-z]{49}$/);
  expect(key.startsWith(`${prefix}_`)).toBe(true);
  expect(extractApiKeyPrefix(key)).toBe(prefix);
  expect(isWellFormedApiKey(key)).toBe(true);
  expect(hasApiKeyPrefix(key)).toBe(true);
  expect(hasApiKeyPrefix("eyJhbGciOiJFUzI1NiJ9.e30.c2ln")).toBe(false);
});

test("creates distinct keys, prefixes and hashes", () => {
  const keys = Array.from({ length: 1000 }, generateApiKey);
  expect(new Set(keys.map(({ key }) => key)).size).toBe(1000);
  expect(new Set(keys.map(({ prefix }) => prefix)).size).toBe(1000);
  expect(new Set(keys.map(({ key }) => hashApiKey(key))).size).toBe(1000);
});

test("accepts a key whose checksum has leading zeros", () => {
  const found = Array.from({ length: 1000 }, generateApiKey).filter(({ key }) => key.at(-6) === "0");
  expect(found.length).toBeGreaterThan(0);
  for (const { key } of found) expect(isWellFormedApiKey(key)).toBe(true);
});

test("rejects a key with a typo", () => {
  const { key } = generateApiKey();
  for (let index = 0; index < key.length; index++) {
    const other = key[index] === "a" ? "b" : "a";
    expect(isWellFormedApiKey(key.slice(0, index) + other + key.slice(index + 1)), `at ${index}`).toBe(false);
    expect(isWellFormedApiKey(key.slice(0, index) + key.slice(index + 1)), `without ${index}`).toBe(false);
  }
  for (const text of ["", "ct_", ` ${key}`, `${key} `, `${key}\n`, key.toUpperCase(), key.slice(3)]) {
    expect(isWellFormedApiKey(text)).toBe(false);
  }
});
