import { type Caller, DomainError } from "@calltrack/domain";
import type { Logger } from "pino";
import type { AccountDirectory } from "../accounts/account-directory.js";
import { isLikeKey } from "../api-keys/key-text.js";
import { createKeyVerifier } from "../api-keys/key-verifier.js";
import type { Executor } from "../storage/prepared-statement.js";
import type { AuthSettings } from "./auth-settings.js";
import { createTokenVerifier } from "./token-verifier.js";

/**
 * Finds out who calls, by the header `Authorization`.
 *
 * @throws DomainError for whoever cannot be told, and whatever it is that keeps the server from telling.
 */
export type Authenticate = (authorization: string | null) => Promise<Caller>;

/** Tells callers apart. */
export interface Authenticator {
  readonly authenticate: Authenticate;
  /** Writes down what is still to be written. */
  close(): Promise<void>;
}

/** RFC 6750 section 2.1. */
const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i;

/** Creates what tells callers apart, by API keys or by access tokens or by both. */
export function createAuthenticator(
  { keys, issuer }: AuthSettings,
  db: Executor,
  accounts: AccountDirectory,
  log: Logger,
): Authenticator {
  const keyVerifier = keys ? createKeyVerifier(db, log) : undefined;
  const tokenVerifier = issuer && createTokenVerifier(issuer, accounts, log);
  return {
    async authenticate(authorization) {
      const [, token] = BEARER.exec(authorization ?? "") ?? [];
      // What is no key is a token, where there are tokens.
      const verifier = token !== undefined && isLikeKey(token) ? keyVerifier : (tokenVerifier ?? keyVerifier);
      if (token === undefined || verifier === undefined) throw new DomainError("UNAUTHENTICATED", {});
      return verifier.verify(token);
    },
    close: async () => keyVerifier?.close(),
  };
}
