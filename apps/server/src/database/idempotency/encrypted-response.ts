import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/*
 * encrypted response = nonce (12 bytes) tag (16 bytes) ciphertext
 *
 * The cipher is AES-256-GCM. HKDF-SHA-256 (RFC 5869) derives its key from the request id.
 */

const CIPHER = "aes-256-gcm";
const KEY_LENGTH = 32;
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

/**
 * Encrypts a response so that it can only be read with its request id. Responses can contain secrets, and the database
 * stores only a hash of the id.
 */
export function encryptResponse(response: Uint8Array, requestId: string): Buffer {
  const nonce = randomBytes(NONCE_LENGTH);
  const cipher = createCipheriv(CIPHER, keyOf(requestId), nonce);
  const content = Buffer.concat([cipher.update(response), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), content]);
}

/** Decrypts a response that `encryptResponse` encrypted with the same id. */
export function decryptResponse(encrypted: Uint8Array, requestId: string): Buffer {
  const content = NONCE_LENGTH + TAG_LENGTH;
  const decipher = createDecipheriv(CIPHER, keyOf(requestId), encrypted.subarray(0, NONCE_LENGTH));
  decipher.setAuthTag(encrypted.subarray(NONCE_LENGTH, content));
  return Buffer.concat([decipher.update(encrypted.subarray(content)), decipher.final()]);
}

function keyOf(requestId: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", requestId, "", "the answer to a request", KEY_LENGTH));
}
