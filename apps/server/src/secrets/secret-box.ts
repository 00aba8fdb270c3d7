import { createCipheriv, createDecipheriv, hash, randomBytes } from "node:crypto";

/*
 * ciphertext = "v1." key id "." base64url(nonce (12 bytes) tag (16 bytes) content)
 *
 * The cipher is AES-256-GCM with the context as additional data. The id of a key is the start of a hash of it: keys are
 * random, so that the id reveals nothing of them.
 */

const CIPHER = "aes-256-gcm";
const VERSION = "v1";
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;
const KEY_ID_LENGTH = 16;

/** The length of a key, in bytes. */
export const SECRET_KEY_LENGTH = 32;

/** Encrypts secrets for the database, with keys that are not in the database. */
export interface SecretBox {
  /** @param context what the secret belongs to, such as an id: the ciphertext cannot be decrypted for anything else. */
  encrypt(secret: string, context: string): string;
  /** Returns undefined if no key fits, or if the ciphertext is damaged or of another context. */
  decrypt(ciphertext: string, context: string): string | undefined;
}

/**
 * Creates a box of secrets.
 *
 * @param keys at least one, of 32 bytes each. All of them decrypt, and the first one encrypts.
 */
export function createSecretBox(keys: readonly Buffer[]): SecretBox {
  const [first] = keys;
  if (first === undefined) throw new Error("a box of secrets needs a key");
  const keysById = new Map(keys.map((key) => [idOf(key), key]));
  return {
    encrypt(secret, context) {
      const nonce = randomBytes(NONCE_LENGTH);
      const cipher = createCipheriv(CIPHER, first, nonce).setAAD(Buffer.from(context));
      const content = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      const sealed = Buffer.concat([nonce, cipher.getAuthTag(), content]);
      return [VERSION, idOf(first), sealed.toString("base64url")].join(".");
    },

    decrypt(ciphertext, context) {
      const [version, id = "", text = ""] = ciphertext.split(".");
      const key = keysById.get(id);
      const sealed = Buffer.from(text, "base64url");
      const start = NONCE_LENGTH + TAG_LENGTH;
      if (version !== VERSION || key === undefined || sealed.length < start) return undefined;
      const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_LENGTH))
        .setAAD(Buffer.from(context))
        .setAuthTag(sealed.subarray(NONCE_LENGTH, start));
      try {
        return Buffer.concat([decipher.update(sealed.subarray(start)), decipher.final()]).toString();
      } catch {
        return undefined;
      }
    },
  };
}

function idOf(key: Buffer): string {
  return hash("sha256", key).slice(0, KEY_ID_LENGTH);
}
