import { timingSafeEqual } from "node:crypto";
import { DomainError, type Principal } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import { createKeyDirectory, type KeyCredential } from "./key-directory.js";
import { hashKey } from "./key-format.js";
import { createKeyUseLog } from "./key-use-log.js";

/** Creates a verifier for API keys. It caches credentials for five seconds, so that most requests need no database query. */
export function createKeyVerifier(db: Executor, log: Logger) {
  const directory = createKeyDirectory(db);
  const uses = createKeyUseLog(db, log);
  // Recently verified keys with their credentials, because hashing takes most of the time of a verification.
  const verified = new LRUCache<string, KeyCredential>({ max: MAX_VERIFIED_KEYS });

  function admit(text: string, credential: KeyCredential | undefined): Principal {
    if (credential === undefined) throw new DomainError("API_KEY_INVALID", {});
    if (verified.get(text) !== credential) {
      if (!timingSafeEqual(Buffer.from(hashKey(text)), credential.hash)) throw new DomainError("API_KEY_INVALID", {});
      // V8 may represent the key as a slice of a longer string, which a copy does not retain.
      verified.set(Buffer.from(text, "latin1").toString("latin1"), credential);
    }
    requireUsable(credential);
    uses.record(credential.id);
    return credential.principal;
  }

  return {
    /**
     * Identifies the principal of an API key. Returns synchronously if the key is cached.
     *
     * @throws DomainError `API_KEY_INVALID`, `API_KEY_REVOKED` or `API_KEY_EXPIRED`, and the database's error.
     */
    verify(text: string): Principal | Promise<Principal> {
      const found = directory.find(text);
      return found instanceof Promise ? found.then((credential) => admit(text, credential)) : admit(text, found);
    },
    close: uses.close,
  };
}

const MAX_VERIFIED_KEYS = 2000;

/** Throws if a key is revoked or expired. Call it after the hash was verified, so that only the key's owner learns of this. */
function requireUsable({ principal: { expiresAt }, revokedAt }: KeyCredential): void {
  if (revokedAt !== null) throw new DomainError("API_KEY_REVOKED", { revokedAt });
  if (expiresAt !== undefined && expiresAt.getTime() <= Date.now()) {
    throw new DomainError("API_KEY_EXPIRED", { expiredAt: expiresAt });
  }
}
