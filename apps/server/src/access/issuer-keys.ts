import { DomainError } from "@calltrack/domain";
import { createRemoteJWKSet, customFetch, errors, type FetchImplementation, type JWTVerifyGetKey } from "jose";
import type { Logger } from "pino";

type RemoteKeys = ReturnType<typeof createRemoteJWKSet>;

const TIMEOUT_MS = 5000;

/** After a failure, how long to wait until the issuer is asked again. */
const PAUSE_MS = 1000;

/** How old the keys get before they are read again, beside the requests; and how old if the issuer does not answer. */
const FRESH_MS = 600_000;
const USABLE_MS = 24 * 3_600_000;

/** What a token is the cause of; of anything else it is the issuer. */
const FAULTS_OF_TOKEN = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported];

/**
 * Finds the public keys of an issuer (OpenID Connect Discovery 1.0), from the first token on: the issuer may start after this
 * server. A token of an unknown key makes it look for new ones, twice a minute at most. A key that the issuer withdraws is taken
 * for ten minutes more, and while the issuer does not answer for a day.
 *
 * @returns what gives the key of a token. It rejects with a DomainError `ISSUER_UNAVAILABLE`, or jose's error for the token.
 */
export function createIssuerKeys(issuer: string, log: Logger): JWTVerifyGetKey {
  const { fetchFromIssuer, noteFailure } = createPausingFetch(log);
  let keys: Promise<RemoteKeys> | undefined;
  let readAt = 0;

  async function discoverKeys(): Promise<RemoteKeys> {
    const url = await discoverKeysUrl(issuer, fetchFromIssuer);
    readAt = performance.now();
    return createRemoteJWKSet(url, {
      timeoutDuration: TIMEOUT_MS,
      cacheMaxAge: USABLE_MS,
      [customFetch]: fetchFromIssuer,
    });
  }

  function findKeys(): Promise<RemoteKeys> {
    keys ??= discoverKeys().catch((error) => {
      keys = undefined;
      throw error;
    });
    return keys;
  }

  function refresh(found: RemoteKeys): void {
    if (performance.now() - readAt < FRESH_MS) return;
    readAt = performance.now();
    // Those that are known hold for now.
    found.reload().catch(noteFailure);
  }

  return async (header, token) => {
    try {
      const found = await findKeys();
      refresh(found);
      return await found(header, token);
    } catch (error) {
      if (FAULTS_OF_TOKEN.some((fault) => error instanceof fault)) throw error;
      noteFailure(error);
      throw new DomainError("ISSUER_UNAVAILABLE", {}, { cause: error });
    }
  };
}

/** The issuer is not asked for the moment. */
class PausedError extends Error {
  override readonly name = "PausedError";
}

/**
 * A fetch that fails by itself for a moment after a failure, so that nobody can make it ask again and again. Noted are also answers
 * that are of no use.
 */
function createPausingFetch(log: Logger) {
  let failedAt = Number.NEGATIVE_INFINITY;
  const fetchFromIssuer: FetchImplementation = async (url, options) => {
    if (performance.now() - failedAt < PAUSE_MS) throw new PausedError("the issuer failed to respond a moment ago");
    const response = await fetch(url, options);
    if (response.status !== 200) throw new Error(`${url} returned status ${response.status}`);
    return response;
  };
  const noteFailure = (error: unknown): void => {
    if (error instanceof PausedError || performance.now() - failedAt < PAUSE_MS) return;
    failedAt = performance.now();
    log.warn({ err: error }, "cannot fetch the keys of the access token issuer");
  };
  return { fetchFromIssuer, noteFailure };
}

async function discoverKeysUrl(issuer: string, fetchFromIssuer: FetchImplementation): Promise<URL> {
  const response = await fetchFromIssuer(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`, {
    headers: new Headers({ accept: "application/json" }),
    method: "GET",
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const found = (await response.json()) as { readonly issuer?: unknown; readonly jwks_uri?: unknown };
  const url = URL.parse(String(found.jwks_uri));
  // Section 4.3: whoever answers for another issuer is not to be believed. Keys are as good as the way on which they come.
  if (found.issuer !== issuer || url === null || url.protocol !== new URL(issuer).protocol) {
    throw new Error(`the metadata of ${issuer} has no jwks_uri or names another issuer`);
  }
  return url;
}
