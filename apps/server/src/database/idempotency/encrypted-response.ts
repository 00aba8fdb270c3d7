import { hkdfSync } from "node:crypto";
import { KEY_BYTES, seal, unseal } from "../../secrets/aes-gcm.js";

/** Encrypts a response so that only the request id can decrypt it. Responses can contain secrets, and the database stores only a hash of the id. */
export function encryptResponse(response: Uint8Array, requestId: string): Buffer {
  return seal(response, keyOf(requestId));
}

/** Reverses `encryptResponse` for the same id. */
export function decryptResponse(encrypted: Uint8Array, requestId: string): Buffer {
  return unseal(encrypted, keyOf(requestId));
}

/** Derives the key from the request id, by HKDF-SHA-256 (RFC 5869). */
function keyOf(requestId: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", requestId, "", "the answer to a request", KEY_BYTES));
}
