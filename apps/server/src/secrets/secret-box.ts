import { hash } from "node:crypto";
import { seal, unseal } from "./aes-gcm.js";

/*
 * ciphertext = "v1." key id "." base64url(sealed content)
 *
 * The id of a key is the start of a hash of it: keys are random, so that the id reveals nothing of them.
 */

const VERSION = "v1";
const KEY_ID_LENGTH = 16;

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
      const sealed = seal(Buffer.from(secret), first, context);
      return [VERSION, idOf(first), sealed.toString("base64url")].join(".");
    },

    decrypt(ciphertext, context) {
      const [version, id = "", text = ""] = ciphertext.split(".");
      const key = keysById.get(id);
      if (version !== VERSION || key === undefined) return undefined;
      try {
        return unseal(Buffer.from(text, "base64url"), key, context).toString();
      } catch {
        return undefined;
      }
    },
  };
}

function idOf(key: Buffer): string {
  return hash("sha256", key).slice(0, KEY_ID_LENGTH);
}
