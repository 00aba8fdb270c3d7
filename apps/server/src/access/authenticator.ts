import { DomainError, type Principal } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import type { Logger } from "pino";
import type { AuthSettings } from "../config/auth-settings.js";
import { createAccessTokenVerifier } from "./access-token-verifier.js";
import type { AccountDirectory } from "./account-directory.js";
import { hasApiKeyPrefix } from "./api-key-format.js";
import { createApiKeyVerifier } from "./api-key-verifier.js";

/**
 * Identifies the principal by the `Authorization` header or, without that header, by the client certificate. Returns synchronously if the
 * credentials are cached.
 *
 * @throws DomainError if the credentials are missing or rejected, or cannot be verified at the moment.
 */
export type RequestAuthenticator = (
  authorization: string | null,
  certificateName: string | undefined,
) => Principal | Promise<Principal>;

/** The Authorization header with a bearer token (RFC 6750 section 2.1). */
const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i;

export function createAuthenticator(
  { keys, issuer, certificates }: AuthSettings,
  db: Executor,
  accounts: AccountDirectory,
  log: Logger,
) {
  const keyVerifier = keys ? createApiKeyVerifier(db, log) : undefined;
  const tokenVerifier = issuer && createAccessTokenVerifier(issuer, accounts, log);
  const ways = [
    keys || issuer !== undefined ? (["bearer"] as const) : [],
    certificates !== undefined ? (["certificate"] as const) : [],
  ].flat();
  const authenticate: RequestAuthenticator = (authorization, name) => {
    if (authorization === null && name !== undefined && certificates !== undefined) {
      const scopes = certificates.byName.get(name) ?? certificates.others;
      return { actor: { kind: "client_certificate", name }, scopes, account: undefined };
    }
    const [, token] = BEARER.exec(authorization ?? "") ?? [];
    // If access tokens are enabled, a credential without the prefix of an API key counts as an access token.
    const verifier = token !== undefined && hasApiKeyPrefix(token) ? keyVerifier : (tokenVerifier ?? keyVerifier);
    if (token === undefined || verifier === undefined) throw new DomainError("UNAUTHENTICATED", { ways });
    return verifier.verify(token);
  };
  const close = async () => keyVerifier?.close();
  return { authenticate, close };
}
