import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { decryptResponse, encryptResponse } from "./encrypted-response.js";

const ANSWER = Buffer.from("ct_secret");

test.each([ANSWER, Buffer.alloc(0), Buffer.alloc(100_000, 7)])(
  "an answer is opened with its request's id",
  (answer) => {
    const requestId = randomUUID();
    expect(decryptResponse(encryptResponse(answer, requestId), requestId)).toEqual(answer);
  },
);

test("an answer is not opened with the id of another request", () => {
  expect(() => decryptResponse(encryptResponse(ANSWER, "one"), "another")).toThrow();
});

test("a changed answer is refused, wherever it was changed", () => {
  const sealed = encryptResponse(ANSWER, "one");
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] as number) ^ 1;
    expect(() => decryptResponse(changed, "one"), `byte ${at}`).toThrow();
  }
});

test("the same answer under the same id is encrypted with another nonce each time", () => {
  // AES-GCM gives its key away when a nonce is used twice (NIST SP 800-38D, section 8).
  const nonces = Array.from({ length: 100 }, () => encryptResponse(ANSWER, "one").toString("hex", 0, 12));
  expect(new Set(nonces).size).toBe(nonces.length);
});
