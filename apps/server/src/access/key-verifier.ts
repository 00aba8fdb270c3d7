import { timingSafeEqual } from "node:crypto";
import { type Caller, DomainError } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import type { Logger } from "pino";
import { createKeyDirectory, type KeyCredential } from "./key-directory.js";
import { hashKey } from "./key-format.js";
import { createKeyUseLog } from "./key-use-log.js";
import { TwoGenerationCache } from "./two-generation-cache.js";

/** Tells whether a text is an API key, and whose. */
export interface KeyVerifier {
  /**
   * Gives no promise where all is at hand.
   *
   * @throws DomainError `API_KEY_INVALID`, `API_KEY_REVOKED` or `API_KEY_EXPIRED`, and the database's error.
   */
  verify(text: string): Caller | Promise<Caller>;
  /** Writes down what is still to be written. */
  close(): Promise<void>;
}

/** Creates a verifier. What it learns of a key holds for some seconds, so that most requests ask nothing of the database. */
export function createKeyVerifier(db: Executor, log: Logger): KeyVerifier {
  const directory = createKeyDirectory(db);
  const uses = createKeyUseLog(db, log);
  // The keys that were shown lately, with the credentials that they were found to be of: to hash one again takes longer than all else.
  const verified = new TwoGenerationCache<string, KeyCredential>(MAX_VERIFIED_KEYS);

  function admit(text: string, credential: KeyCredential | undefined): Caller {
    if (credential === undefined) throw new DomainError("API_KEY_INVALID", {});
    if (verified.get(text) !== credential) {
      if (!timingSafeEqual(Buffer.from(hashKey(text)), credential.hash)) throw new DomainError("API_KEY_INVALID", {});
      // A copy, as the text of a request is a part of a longer one, which it would keep in memory.
      verified.set(Buffer.from(text, "latin1").toString("latin1"), credential);
    }
    requireUsable(credential);
    uses.record(credential.id);
    return credential.caller;
  }

  return {
    verify(text) {
      const found = directory.find(text);
      return found instanceof Promise ? found.then((credential) => admit(text, credential)) : admit(text, found);
    },
    close: uses.close,
  };
}

const MAX_VERIFIED_KEYS = 2000;

/** What has become of a key is told to those who have all of it only. */
function requireUsable({ expiresAt, revokedAt }: KeyCredential): void {
  if (revokedAt !== null) throw new DomainError("API_KEY_REVOKED", { revokedAt });
  if (expiresAt !== null && expiresAt.getTime() <= Date.now()) {
    throw new DomainError("API_KEY_EXPIRED", { expiredAt: expiresAt });
  }
}
