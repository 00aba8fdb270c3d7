import { DomainError } from "@calltrack/domain";
import { createRemoteJWKSet, customFetch, type FetchImplementation, type JWTVerifyGetKey } from "jose";
import type { Logger } from "pino";

type RemoteKeys = ReturnType<typeof createRemoteJWKSet>;

const TIMEOUT_MS = 5000;

/** How long the issuer is not contacted after a failed request. */
const RETRY_DELAY_MS = 1000;

/** Keys older than `FRESH_MS` are refreshed in the background. While the issuer is unavailable, cached keys are used up to the age `USABLE_MS`. */
const FRESH_MS = 600_000;
const USABLE_MS = 24 * 3_600_000;

/**
 * Creates a function that finds the issuer's public key for a token (OpenID Connect Discovery 1.0). The function contacts the issuer only when the
 * first token arrives, because the issuer may start after this server. A token with an unknown key causes a refresh, at most twice a minute. A
 * withdrawn key is accepted for ten more minutes, or for up to a day while the issuer is unavailable.
 *
 * The function rejects with a DomainError `ISSUER_UNAVAILABLE` or, if the token names an unknown or unusable key, with another error.
 */
export function createIssuerKeyFinder(issuer: string, log: Logger): JWTVerifyGetKey {
  const { fetchFromIssuer, noteFailure } = createBackoffFetch(log);
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

  async function findKeys(): Promise<RemoteKeys> {
    keys ??= discoverKeys().catch((error) => {
      keys = undefined;
      throw error;
    });
    const found = await keys;
    if (!found.fresh) await found.reload();
    return found;
  }

  function unavailable(error: unknown): DomainError {
    noteFailure(error);
    return new DomainError("ISSUER_UNAVAILABLE", {}, { cause: error });
  }

  function refresh(found: RemoteKeys): void {
    if (performance.now() - readAt < FRESH_MS) return;
    readAt = performance.now();
    // During the refresh, the cached keys stay valid.
    found.reload().catch(noteFailure);
  }

  return async (header, token) => {
    const found = await findKeys().catch((error) => {
      throw unavailable(error);
    });
    refresh(found);
    return found(header, token).catch((error) => {
      // Other errors mean that the key named by the token is unknown or cannot be imported.
      throw error instanceof IssuerError ? unavailable(error) : error;
    });
  };
}

class IssuerError extends Error {
  override readonly name: string = "IssuerError";
}

/** Thrown, instead of sending a request to the issuer, if the last request failed less than `RETRY_DELAY_MS` ago. */
class IssuerBackoffError extends IssuerError {
  override readonly name = "IssuerBackoffError";
}

/**
 * Creates a `fetch` for JSON that rejects with an `IssuerError`, and a function `noteFailure`. For `RETRY_DELAY_MS` after `noteFailure` is called,
 * the `fetch` rejects immediately, so that clients cannot flood the issuer with requests. Call `noteFailure` for failed requests and for unusable
 * responses.
 */
function createBackoffFetch(log: Logger) {
  let failedAt = Number.NEGATIVE_INFINITY;
  const fetchFromIssuer: FetchImplementation = async (url, options) => {
    if (performance.now() - failedAt < RETRY_DELAY_MS)
      throw new IssuerBackoffError("a request to the issuer failed less than a second ago");
    try {
      const response = await fetch(url, options);
      if (response.status !== 200) throw new Error(`the issuer returned the HTTP status ${response.status}`);
      return Response.json(await response.json());
    } catch (cause) {
      throw new IssuerError(`cannot read ${url}`, { cause });
    }
  };
  const noteFailure = (error: unknown): void => {
    if (error instanceof IssuerBackoffError || performance.now() - failedAt < RETRY_DELAY_MS) return;
    failedAt = performance.now();
    log.warn({ err: error }, "cannot fetch the public keys of the access token issuer");
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
  // OpenID Connect Discovery section 4.3: the metadata must name the issuer from which it was requested. The URL of the keys must have the
  // issuer's scheme, to prevent a downgrade from HTTPS.
  if (found.issuer !== issuer || url === null || url.protocol !== new URL(issuer).protocol) {
    throw new Error(`the metadata of ${issuer} must name this issuer and a jwks_uri with the same scheme`);
  }
  return url;
}
