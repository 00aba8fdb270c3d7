import { timingSafeEqual } from "node:crypto";
import { DomainError, type Principal } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import { type ApiKeyCredential, createApiKeyDirectory } from "./api-key-directory.js";
import { hashApiKey } from "./api-key-format.js";
import { createApiKeyUseLog } from "./api-key-use-log.js";

/** Creates a verifier of API keys. It caches credentials for five seconds, so that most requests need no database query. */
export function createApiKeyVerifier(db: Executor, log: Logger) {
  const directory = createApiKeyDirectory(db);
  const uses = createApiKeyUseLog(db, log);
  // Recently verified credentials, keyed by the text of the API key. A cached key is not hashed again, because hashing takes most of the verification
  // time.
  const verified = new LRUCache<string, ApiKeyCredential>({ max: MAX_VERIFIED_KEYS });

  function admit(text: string, credential: ApiKeyCredential | undefined): Principal {
    if (credential === undefined) throw new DomainError("API_KEY_INVALID", {});
    if (verified.get(text) !== credential) {
      if (!timingSafeEqual(Buffer.from(hashApiKey(text)), credential.hash))
        throw new DomainError("API_KEY_INVALID", {});
      // V8 may represent the key as a slice of a longer string. A copy does not keep that string in memory.
      verified.set(Buffer.from(text, "latin1").toString("latin1"), credential);
    }
    requireUsable(credential);
    uses.record(credential.id);
    return credential.principal;
  }

  return {
    /**
     * Returns the principal that an API key identifies, synchronously if the key is cached.
     *
     * @throws DomainError `API_KEY_INVALID`, `API_KEY_REVOKED` or `API_KEY_EXPIRED`, or the error of a database query.
     */
    verify(text: string): Principal | Promise<Principal> {
      const found = directory.find(text);
      return found instanceof Promise ? found.then((credential) => admit(text, credential)) : admit(text, found);
    },
    close: uses.close,
  };
}

const MAX_VERIFIED_KEYS = 2000;

/** Throws if an API key is revoked or expired. Call this only after verifying the hash, so that only the key's owner learns the reason. */
function requireUsable({ principal: { expiresAt }, revokedAt }: ApiKeyCredential): void {
  if (revokedAt !== null) throw new DomainError("API_KEY_REVOKED", { revokedAt });
  if (expiresAt !== undefined && expiresAt.getTime() <= Date.now()) {
    throw new DomainError("API_KEY_EXPIRED", { expiredAt: expiresAt });
  }
}
