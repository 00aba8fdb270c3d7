import { DomainError } from "@calltrack/domain";
import { createRemoteJWKSet, customFetch, type FetchImplementation, type JWTVerifyGetKey } from "jose";
import type { Logger } from "pino";

type RemoteKeys = ReturnType<typeof createRemoteJWKSet>;

const TIMEOUT_MS = 5000;

/** Time after a failure during which the issuer is not contacted. */
const RETRY_DELAY_MS = 1000;

/** Age at which the keys are refreshed in the background, and their maximum age while the issuer is unavailable. */
const FRESH_MS = 600_000;
const USABLE_MS = 24 * 3_600_000;

/**
 * Creates a function that finds the issuer's public key for a token (OpenID Connect Discovery 1.0). It does not contact the issuer before
 * the first token, because the issuer may start after this server. A token with an unknown key triggers a refresh, at most twice a minute.
 * A withdrawn key is accepted for ten more minutes, or for up to a day while the issuer is unavailable.
 *
 * The function rejects with a DomainError `ISSUER_UNAVAILABLE`, or with another error if the token names an unknown or unusable key.
 */
export function createIssuerKeys(issuer: string, log: Logger): JWTVerifyGetKey {
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
    // Meanwhile, the cached keys stay valid.
    found.reload().catch(noteFailure);
  }

  return async (header, token) => {
    const found = await findKeys().catch((error) => {
      throw unavailable(error);
    });
    refresh(found);
    return found(header, token).catch((error) => {
      // All other errors concern the key that the token names, whose import can fail in many ways.
      throw error instanceof IssuerError ? unavailable(error) : error;
    });
  };
}

class IssuerError extends Error {
  override readonly name: string = "IssuerError";
}

/** The last request to the issuer failed, and the retry delay has not passed. */
class IssuerBackoffError extends IssuerError {
  override readonly name = "IssuerBackoffError";
}

/**
 * Creates a `fetch` for JSON that rejects with an `IssuerError`. After a failure, it fails immediately for `RETRY_DELAY_MS`, so that callers
 * cannot flood the issuer with requests. `noteFailure` starts the delay for responses that cannot be used, too.
 */
function createBackoffFetch(log: Logger) {
  let failedAt = Number.NEGATIVE_INFINITY;
  const fetchFromIssuer: FetchImplementation = async (url, options) => {
    if (performance.now() - failedAt < RETRY_DELAY_MS)
      throw new IssuerBackoffError("the issuer failed to respond a moment ago");
    try {
      const response = await fetch(url, options);
      if (response.status !== 200) throw new Error(`it returned status ${response.status}`);
      return Response.json(await response.json());
    } catch (cause) {
      throw new IssuerError(`cannot read ${url}`, { cause });
    }
  };
  const noteFailure = (error: unknown): void => {
    if (error instanceof IssuerBackoffError || performance.now() - failedAt < RETRY_DELAY_MS) return;
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
  // Section 4.3: the document must name the issuer from which it was requested. The URL of the keys must have the issuer's scheme, to
  // prevent a downgrade from HTTPS.
  if (found.issuer !== issuer || url === null || url.protocol !== new URL(issuer).protocol) {
    throw new Error(`the metadata of ${issuer} has no jwks_uri or names another issuer`);
  }
  return url;
}
