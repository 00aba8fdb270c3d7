import { timingSafeEqual } from "node:crypto";
import { type Caller, DomainError } from "@calltrack/domain";
import type { Logger } from "pino";
import type { Executor } from "../storage/prepared-statement.js";
import { createKeyDirectory, type KeyCredential } from "./key-directory.js";
import { hashKey } from "./key-text.js";
import { createKeyUseLog } from "./key-use-log.js";

/** Tells whether a text is an API key, and whose. */
export interface KeyVerifier {
  /** @throws DomainError `API_KEY_INVALID`, `API_KEY_REVOKED` or `API_KEY_EXPIRED`, and the database's error. */
  verify(text: string): Promise<Caller>;
  /** Writes down what is still to be written. */
  close(): Promise<void>;
}

/** Creates a verifier. What it learns of a key holds for some seconds, so that most requests ask nothing of the database. */
export function createKeyVerifier(db: Executor, log: Logger): KeyVerifier {
  const directory = createKeyDirectory(db);
  const uses = createKeyUseLog(db, log);
  return {
    async verify(text) {
      const credential = await directory.find(text);
      if (credential === undefined || !timingSafeEqual(Buffer.from(hashKey(text)), credential.hash)) {
        throw new DomainError("API_KEY_INVALID", {});
      }
      requireUsable(credential);
      uses.note(credential.id);
      return credential.caller;
    },
    close: uses.close,
  };
}

/** What has become of a key is told to those who have all of it only. */
function requireUsable({ expiresAt, revokedAt }: KeyCredential): void {
  if (revokedAt !== null) throw new DomainError("API_KEY_REVOKED", { revokedAt });
  if (expiresAt !== null && expiresAt.getTime() <= Date.now()) {
    throw new DomainError("API_KEY_EXPIRED", { expiredAt: expiresAt });
  }
}
