import { type Caller, DomainError } from "@calltrack/domain";
import type { TlsClient } from "@calltrack/http";
import type { Executor } from "@calltrack/postgres";
import type { Logger } from "pino";
import type { AuthSettings } from "../config/auth-settings.js";
import type { AccountDirectory } from "./account-directory.js";
import { hasKeyPrefix } from "./key-format.js";
import { createKeyVerifier } from "./key-verifier.js";
import { createTokenVerifier } from "./token-verifier.js";

/**
 * Finds out who calls: by the header `Authorization`, or where there is none by the certificate that the client has shown. It gives
 * no promise where that is known at once.
 *
 * @throws DomainError for whoever cannot be told, and whatever it is that keeps the server from telling.
 */
export type Authenticate = (authorization: string | null, client: TlsClient | undefined) => Caller | Promise<Caller>;

/** Tells callers apart. */
export interface Authenticator {
  readonly authenticate: Authenticate;
  /** Writes down what is still to be written. */
  close(): Promise<void>;
}

/** RFC 6750 section 2.1. */
const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i;

/** Creates what tells callers apart, in each way that is set. */
export function createAuthenticator(
  { keys, issuer, certificates }: AuthSettings,
  db: Executor,
  accounts: AccountDirectory,
  log: Logger,
): Authenticator {
  const keyVerifier = keys ? createKeyVerifier(db, log) : undefined;
  const tokenVerifier = issuer && createTokenVerifier(issuer, accounts, log);
  const ways = [
    keys || issuer !== undefined ? (["bearer"] as const) : [],
    certificates !== undefined ? (["certificate"] as const) : [],
  ].flat();
  return {
    authenticate(authorization, client) {
      if (authorization === null && client !== undefined && certificates !== undefined) {
        const { name } = client;
        const scopes = certificates.byName.get(name) ?? certificates.others;
        return { actor: { kind: "client_certificate", name }, scopes, account: undefined };
      }
      const [, token] = BEARER.exec(authorization ?? "") ?? [];
      // What is no key is a token, where there are tokens.
      const verifier = token !== undefined && hasKeyPrefix(token) ? keyVerifier : (tokenVerifier ?? keyVerifier);
      if (token === undefined || verifier === undefined) throw new DomainError("UNAUTHENTICATED", { ways });
      return verifier.verify(token);
    },
    close: async () => keyVerifier?.close(),
  };
}
