import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/*
 * sealed answer = nonce (12 bytes) tag (16 bytes) ciphertext
 *
 * AES-256-GCM under a key that HKDF-SHA-256 (RFC 5869) makes of the request's id.
 */

const CIPHER = "aes-256-gcm";
const KEY_LENGTH = 32;
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

/**
 * Encrypts an answer so that only who has the id of its request can read it: there may be a secret in it, and of the id the
 * database has no more than a hash.
 */
export function encryptResponse(answer: Uint8Array, requestId: string): Buffer {
  const nonce = randomBytes(NONCE_LENGTH);
  const cipher = createCipheriv(CIPHER, keyOf(requestId), nonce);
  const content = Buffer.concat([cipher.update(answer), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), content]);
}

/** Decrypts what `encryptResponse` gave for the same id. */
export function decryptResponse(sealed: Uint8Array, requestId: string): Buffer {
  const content = NONCE_LENGTH + TAG_LENGTH;
  const decipher = createDecipheriv(CIPHER, keyOf(requestId), sealed.subarray(0, NONCE_LENGTH));
  decipher.setAuthTag(sealed.subarray(NONCE_LENGTH, content));
  return Buffer.concat([decipher.update(sealed.subarray(content)), decipher.final()]);
}

function keyOf(requestId: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", requestId, "", "the answer to a request", KEY_LENGTH));
}
