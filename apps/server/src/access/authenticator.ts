import { DomainError, type Principal } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import type { Logger } from "pino";
import type { AuthSettings } from "../config/auth-settings.js";
import type { AccountDirectory } from "./account-directory.js";
import { hasKeyPrefix } from "./key-format.js";
import { createKeyVerifier } from "./key-verifier.js";
import { createTokenVerifier } from "./token-verifier.js";

/**
 * Identifies the principal by the `Authorization` header. Without that header, uses the client certificate. Returns
 * synchronously if the credentials are cached.
 *
 * @throws DomainError if the credentials are missing or rejected, or if they cannot be verified now.
 */
export type Authenticate = (
  authorization: string | null,
  certificateName: string | undefined,
) => Principal | Promise<Principal>;

/** RFC 6750 section 2.1. */
const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i;

export function createAuthenticator(
  { keys, issuer, certificates }: AuthSettings,
  db: Executor,
  accounts: AccountDirectory,
  log: Logger,
) {
  const keyVerifier = keys ? createKeyVerifier(db, log) : undefined;
  const tokenVerifier = issuer && createTokenVerifier(issuer, accounts, log);
  const ways = [
    keys || issuer !== undefined ? (["bearer"] as const) : [],
    certificates !== undefined ? (["certificate"] as const) : [],
  ].flat();
  const authenticate: Authenticate = (authorization, name) => {
    if (authorization === null && name !== undefined && certificates !== undefined) {
      const scopes = certificates.byName.get(name) ?? certificates.others;
      return { actor: { kind: "client_certificate", name }, scopes, account: undefined };
    }
    const [, token] = BEARER.exec(authorization ?? "") ?? [];
    // If access tokens are enabled, anything without the prefix of a key is treated as a token.
    const verifier = token !== undefined && hasKeyPrefix(token) ? keyVerifier : (tokenVerifier ?? keyVerifier);
    if (token === undefined || verifier === undefined) throw new DomainError("UNAUTHENTICATED", { ways });
    return verifier.verify(token);
  };
  const close = async () => keyVerifier?.close();
  return { authenticate, close };
}
