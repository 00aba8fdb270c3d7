import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

/*
 * sealed content = nonce (12 bytes) tag (16 bytes) ciphertext
 *
 * The cipher is AES-256-GCM.
 */

const CIPHER = "aes-256-gcm";
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

/** The length of a key, in bytes. */
export const KEY_LENGTH = 32;

/** @param context additional data: the content can only be opened with the same. */
export function seal(content: Uint8Array, key: Uint8Array, context = ""): Buffer {
  const nonce = randomBytes(NONCE_LENGTH);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(context));
  const ciphertext = Buffer.concat([cipher.update(content), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
}

/** @throws Error if the content was sealed with another key or context, or is damaged. */
export function unseal(sealed: Uint8Array, key: Uint8Array, context = ""): Buffer {
  const start = NONCE_LENGTH + TAG_LENGTH;
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_LENGTH), { authTagLength: TAG_LENGTH })
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(NONCE_LENGTH, start));
  return Buffer.concat([decipher.update(sealed.subarray(start)), decipher.final()]);
}
