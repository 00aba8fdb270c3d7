import { hash } from "node:crypto";
import {
  type Actor,
  type Caller,
  type CallerAccount,
  DomainError,
  NO_ACCOUNT_ID,
  SCOPES,
  type Scope,
} from "@calltrack/domain";
import { errors, type JWTPayload, jwtVerify } from "jose";
import type { Logger } from "pino";
import type { IssuerSettings } from "../config/issuer-settings.js";
import { invalidToken, requireAccessToken, requireSubject } from "./access-token-claims.js";
import type { AccountDirectory } from "./account-directory.js";
import { createIssuerKeys } from "./issuer-keys.js";
import { TwoGenerationCache } from "./two-generation-cache.js";

/** Tells whether a text is an access token of the issuer, and whose. */
export interface TokenVerifier {
  /** @throws DomainError `ACCESS_TOKEN_INVALID`, `ACCESS_TOKEN_EXPIRED` or `ISSUER_UNAVAILABLE`, and the database's error. */
  verify(text: string): Promise<Caller>;
}

/** Those that are signed with a private key: what everyone may know must not be enough to make a token. */
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

/** How far the issuer's clock may be from ours. */
const CLOCK_SKEW_S = 30;

const MOST_TOKENS = 20_000;

/** How long a token that was verified is taken unseen. */
const REMEMBERED_MS = 30_000;

/** A caller by its token, and until when that holds, in milliseconds of the system's clock. */
interface Verified {
  readonly caller: Caller;
  readonly until: number;
}

/** Not if the clock has stepped back: it would hold for as much longer. */
function holds({ until }: Verified): boolean {
  const leftMs = until - Date.now();
  return leftMs > 0 && leftMs <= REMEMBERED_MS;
}

/** Creates a verifier (RFC 7519, RFC 9068). A token that comes again within half a minute is not looked at again. */
export function createTokenVerifier(settings: IssuerSettings, accounts: AccountDirectory, log: Logger): TokenVerifier {
  const { issuer, audience, accountClaim } = settings;
  const findKey = createIssuerKeys(issuer, log);
  const rules = { issuer, audience, algorithms: ALGORITHMS, clockTolerance: CLOCK_SKEW_S, requiredClaims: ["exp"] };
  const verified = new TwoGenerationCache<string, Verified>(MOST_TOKENS);

  async function readPayload(text: string): Promise<JWTPayload> {
    const { protectedHeader, payload } = await jwtVerify(text, findKey, rules).catch((error) => {
      throw refusalOf(error);
    });
    requireAccessToken(protectedHeader, payload);
    return payload;
  }

  return {
    async verify(text) {
      // By its hash: what is compared to find it tells nothing of any token.
      const digest = hash("sha256", text);
      const known = verified.get(digest);
      if (known !== undefined && holds(known)) return known.caller;
      const payload = await readPayload(text);
      const actor: Actor = { kind: "access_token", issuer, subject: requireSubject(payload) };
      const account = accountClaim === "" ? undefined : await findAccount(accounts, accountOf(payload, accountClaim));
      const caller: Caller = { actor, scopes: scopesOf(payload, settings), account };
      const until = Math.min(Date.now() + REMEMBERED_MS, (Number(payload.exp) + CLOCK_SKEW_S) * 1000);
      if (account?.id !== NO_ACCOUNT_ID) verified.set(digest, { caller, until });
      return caller;
    },
  };
}

/** jose's error as a refusal; any other as it is. */
function refusalOf(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) {
    return new DomainError("ACCESS_TOKEN_EXPIRED", { expiredAt: new Date(Number(error.payload.exp) * 1000) });
  }
  if (error instanceof errors.JWTClaimValidationFailed)
    return invalidToken(`its ${error.claim} claim has a wrong value`);
  if (error instanceof errors.JOSEError) return invalidToken("it is not a JWT signed by the issuer");
  return error;
}

/** Issuers whose scopes are shared by several services may put this before the names of ours. */
const SCOPE_PREFIX = "calltrack:";

/** The scopes that the service knows, with or without the prefix. Others are ignored. */
function scopesOf(payload: JWTPayload, { scopeClaim }: IssuerSettings): ReadonlySet<Scope> {
  const claim = payload[scopeClaim];
  const names = new Set(Array.isArray(claim) ? claim : String(claim ?? "").split(" "));
  return new Set(SCOPES.filter((scope) => names.has(scope) || names.has(SCOPE_PREFIX + scope)));
}

/** The token or the id of the account that the caller is bound to; undefined for all accounts. */
function accountOf(payload: JWTPayload, accountClaim: string): string | undefined {
  const claim = payload[accountClaim];
  if (claim === "*") return undefined;
  if ((typeof claim === "string" && claim !== "" && !claim.includes("\0")) || typeof claim === "number")
    return String(claim);
  throw invalidToken(`its ${accountClaim} claim does not name an account`);
}

async function findAccount(accounts: AccountDirectory, name: string | undefined): Promise<CallerAccount | undefined> {
  if (name === undefined) return undefined;
  const found = await accounts.find(name);
  return found === undefined ? { id: NO_ACCOUNT_ID, token: name } : { id: found.accountId, token: found.accountToken };
}
