import { DomainError } from "@calltrack/domain";
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import type { Logger } from "pino";

/** The keys that an issuer has published. */
interface PublishedKeys {
  readonly find: JWTVerifyGetKey;
  /** When the keys were read, in milliseconds of `performance.now()`. */
  readonly readAt: number;
}

/** The timeout of each request to the issuer. */
const TIMEOUT_MS = 5000;

/** How long the issuer is not contacted after a failed request. */
const RETRY_DELAY_MS = 1000;

/** The minimum time between two reads for tokens with unknown keys, and between two refreshes. */
const COOLDOWN_MS = 30_000;

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
  const read = createKeyReader(issuer, log);
  let keys: PublishedKeys | undefined;
  let refreshedAt = Number.NEGATIVE_INFINITY;

  async function refresh(): Promise<PublishedKeys> {
    refreshedAt = performance.now();
    keys = await read();
    return keys;
  }

  return async (header, token) => {
    const now = performance.now();
    const known = keys !== undefined && now - keys.readAt < USABLE_MS ? keys : await refresh();
    if (now - known.readAt >= FRESH_MS && now - refreshedAt >= COOLDOWN_MS) {
      // During the refresh, the cached keys stay valid. `read` logs its failures.
      refresh().catch(() => {});
    }
    try {
      return await known.find(header, token);
    } catch (error) {
      // Other errors mean that the key named by the token cannot be imported.
      if (!(error instanceof errors.JWKSNoMatchingKey) || now - known.readAt < COOLDOWN_MS) throw error;
      return (await refresh()).find(header, token);
    }
  };
}

/**
 * Creates a function that reads the keys of an issuer. It reads the issuer's metadata every time, because the issuer can move its keys to another URL.
 * Concurrent calls share one read. For `RETRY_DELAY_MS` after a failure, the function rejects immediately, so that clients cannot flood the issuer
 * with requests.
 *
 * The function rejects with a DomainError `ISSUER_UNAVAILABLE`.
 */
function createKeyReader(issuer: string, log: Logger): () => Promise<PublishedKeys> {
  let reading: Promise<PublishedKeys> | undefined;
  let failure: { readonly error: unknown; readonly at: number } | undefined;

  async function read(): Promise<PublishedKeys> {
    try {
      const jwks = await fetchJson(await discoverKeysUrl(issuer));
      return { find: createLocalJWKSet(jwks as JSONWebKeySet), readAt: performance.now() };
    } catch (error) {
      failure = { error, at: performance.now() };
      log.warn({ err: error }, "cannot fetch the public keys of the access token issuer");
      throw unavailable(error);
    } finally {
      reading = undefined;
    }
  }

  return async () => {
    if (failure !== undefined && performance.now() - failure.at < RETRY_DELAY_MS) throw unavailable(failure.error);
    reading ??= read();
    return reading;
  };
}

function unavailable(cause: unknown): DomainError {
  return new DomainError("ISSUER_UNAVAILABLE", {}, { cause });
}

async function discoverKeysUrl(issuer: string): Promise<URL> {
  const found = await fetchJson(new URL(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`));
  const metadata = found as { readonly issuer?: unknown; readonly jwks_uri?: unknown } | null;
  const url = URL.parse(String(metadata?.jwks_uri));
  // OpenID Connect Discovery section 4.3: the metadata must name the issuer from which it was requested. The URL of the keys must have the
  // issuer's scheme, to prevent a downgrade from HTTPS.
  if (metadata?.issuer !== issuer || url === null || url.protocol !== new URL(issuer).protocol) {
    throw new Error(`the metadata of ${issuer} must name this issuer and a jwks_uri with the same scheme`);
  }
  return url;
}

async function fetchJson(url: URL): Promise<unknown> {
  try {
    const response = await fetch(url, {
      headers: { accept: "application/json, application/jwk-set+json" },
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.status !== 200) throw new Error(`the issuer returned the HTTP status ${response.status}`);
    return await response.json();
  } catch (cause) {
    throw new Error(`cannot read ${url}`, { cause });
  }
}
