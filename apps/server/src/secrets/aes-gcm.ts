import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

// Encrypted content is the nonce (12 bytes), then the tag (16 bytes), and then the ciphertext.

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export const AES_KEY_BYTES = 32;

/** @param context additional authenticated data: `decryptAesGcm` needs the same context. */
export function encryptAesGcm(content: Uint8Array, key: Uint8Array, context = ""): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(context));
  const ciphertext = Buffer.concat([cipher.update(content), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
}

/** @throws Error if the content was encrypted with another key or context, or is damaged. */
export function decryptAesGcm(sealed: Uint8Array, key: Uint8Array, context = ""): Buffer {
  const start = NONCE_BYTES + TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(NONCE_BYTES, start));
  return Buffer.concat([decipher.update(sealed.subarray(start)), decipher.final()]);
}
