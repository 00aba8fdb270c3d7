import { hkdfSync } from "node:crypto";
import { AES_KEY_BYTES, decryptAesGcm, encryptAesGcm } from "../../secrets/aes-gcm.js";

/** Encrypts a stored response, because it can contain secrets. Only the request id can decrypt it, and the database stores only a hash of the id. */
export function encryptResponse(response: Uint8Array, requestId: string): Buffer {
  return encryptAesGcm(response, keyOf(requestId));
}

/** Decrypts a stored response with the request id with which `encryptResponse` encrypted it. */
export function decryptResponse(encrypted: Uint8Array, requestId: string): Buffer {
  return decryptAesGcm(encrypted, keyOf(requestId));
}

/** Derives the encryption key from a request id, by HKDF-SHA-256 (RFC 5869). */
function keyOf(requestId: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", requestId, "", "the answer to a request", AES_KEY_BYTES));
}
