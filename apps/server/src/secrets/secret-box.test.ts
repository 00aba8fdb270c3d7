import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createSecretBox } from "./secret-box.js";

const [first, second] = [randomBytes(32), randomBytes(32)];
const SECRET = "twelve characters, é and 😀";

test("decrypts its ciphertexts, which differ each time", () => {
  const box = createSecretBox([first]);
  const [one, other] = [box.encrypt(SECRET, "a"), box.encrypt(SECRET, "a")];
  expect(one).not.toBe(other);
  expect(one).not.toContain("twelve");
  expect([box.decrypt(one, "a"), box.decrypt(other, "a")]).toEqual([SECRET, SECRET]);
  expect(box.decrypt(box.encrypt("", "a"), "a")).toBe("");
});

test("all keys decrypt, and the first one encrypts", () => {
  const earlier = createSecretBox([first]).encrypt(SECRET, "a");
  const box = createSecretBox([second, first]);
  expect(box.decrypt(earlier, "a")).toBe(SECRET);
  expect(createSecretBox([second]).decrypt(box.encrypt(SECRET, "a"), "a")).toBe(SECRET);
});

test("does not decrypt with another key, for another context, or after a change", () => {
  const box = createSecretBox([first]);
  const ciphertext = box.encrypt(SECRET, "a");
  expect(createSecretBox([second]).decrypt(ciphertext, "a")).toBeUndefined();
  expect(box.decrypt(ciphertext, "b")).toBeUndefined();
  const changed = ciphertext.replace(/.(?=..$)/, (letter) => (letter === "A" ? "B" : "A"));
  for (const text of [changed, ciphertext.slice(0, -4), ciphertext.replace("v1", "v2"), "", "v1", "v1..", SECRET]) {
    expect(box.decrypt(text, "a")).toBeUndefined();
  }
});
