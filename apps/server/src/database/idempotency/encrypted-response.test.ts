import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { decryptResponse, encryptResponse } from "./encrypted-response.js";

const RESPONSE = Buffer.from("ct_secret");

test.each([RESPONSE, Buffer.alloc(0), Buffer.alloc(100_000, 7)])(
  "decrypts a response with its request id",
  (response) => {
    const requestId = randomUUID();
    expect(decryptResponse(encryptResponse(response, requestId), requestId)).toEqual(response);
  },
);

test("does not decrypt a response with another request id", () => {
  expect(() => decryptResponse(encryptResponse(RESPONSE, "one"), "another")).toThrow();
});

test("rejects a response with any changed byte", () => {
  const encrypted = encryptResponse(RESPONSE, "one");
  for (let at = 0; at < encrypted.length; at++) {
    const changed = Buffer.from(encrypted);
    changed[at] = (changed[at] as number) ^ 1;
    expect(() => decryptResponse(changed, "one"), `byte ${at}`).toThrow();
  }
});

test("encrypts the same response for the same id with a new nonce each time", () => {
  // Reusing a nonce reveals the AES-GCM key (NIST SP 800-38D, section 8).
  const nonces = Array.from({ length: 100 }, () => encryptResponse(RESPONSE, "one").toString("hex", 0, 12));
  expect(new Set(nonces).size).toBe(nonces.length);
});
