import { hash } from "node:crypto";
import { decryptAesGcm, encryptAesGcm } from "./aes-gcm.js";

/*
 * ciphertext = "v1." key id "." base64url(content encrypted by `encryptAesGcm`)
 *
 * The key id is the beginning of the key's hash. It reveals nothing about the key, because keys are random.
 */

const VERSION = "v1";
const KEY_ID_LENGTH = 16;

/** Encrypts secrets for the database, with keys that are not in the database. */
export interface SecretBox {
  /** @param context what the secret belongs to, such as an id: decryption needs the same context. */
  encrypt(secret: string, context: string): string;
  /** Returns undefined if the key is unknown, the ciphertext is damaged, or the context differs. */
  decrypt(ciphertext: string, context: string): string | undefined;
}

/** @param keys at least one, of 32 bytes each. The first one encrypts, and all of them decrypt. */
export function createSecretBox(keys: readonly Buffer[]): SecretBox {
  const [first] = keys;
  if (first === undefined) throw new Error("a secret box needs at least one key");
  const keysById = new Map(keys.map((key) => [idOf(key), key]));
  return {
    encrypt(secret, context) {
      const sealed = encryptAesGcm(Buffer.from(secret), first, context);
      return [VERSION, idOf(first), sealed.toString("base64url")].join(".");
    },

    decrypt(ciphertext, context) {
      const [version, id = "", text = ""] = ciphertext.split(".");
      const key = keysById.get(id);
      if (version !== VERSION || key === undefined) return undefined;
      try {
        return decryptAesGcm(Buffer.from(text, "base64url"), key, context).toString();
      } catch {
        return undefined;
      }
    },
  };
}

function idOf(key: Buffer): string {
  return hash("sha256", key).slice(0, KEY_ID_LENGTH);
}
