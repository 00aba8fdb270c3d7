import type { Principal } from "@calltrack/domain";
import { createBatcher, type Executor } from "@calltrack/postgres";
import { type Selectable, sql } from "kysely";
import { LRUCache } from "lru-cache";
import { prepareStatement } from "../database/prepared-statement.js";
import type { ApiKeyTable } from "../database/tables/schema.js";
import { extractApiKeyPrefix, isWellFormedApiKey } from "./api-key-format.js";
import { coalesceLookups } from "./coalesce-lookups.js";

const CREDENTIAL_COLUMNS = [
  "id",
  "prefix",
  "hash",
  "scopes",
  "account_id",
  "account_token",
  "expires_at",
  "revoked_at",
] as const;

type CredentialRow = Pick<Selectable<ApiKeyTable>, (typeof CREDENTIAL_COLUMNS)[number]>;

const findCredentials = prepareStatement<{ prefixes: readonly string[] }, CredentialRow>((db, parameter) =>
  db
    .selectFrom("api_keys")
    .select(CREDENTIAL_COLUMNS)
    .where("prefix", "=", sql<string>`any(${parameter("prefixes")}::text[])`),
);

/** The data with which an API key is verified, and the principal that the key identifies. */
export interface ApiKeyCredential {
  readonly id: string;
  /** The hash of the key from `hashApiKey`: hexadecimal digits as ASCII bytes. */
  readonly hash: Uint8Array;
  readonly principal: Principal;
  readonly revokedAt: Date | null;
}

/** `USABLE_MS` is the maximum age of a cached credential. A lookup of a credential older than `FRESH_MS` refreshes it in the background. */
const USABLE_MS = 5000;
const FRESH_MS = 2000;

const MAX_KEYS = 20_000;

/** One statement at a time, to limit the load that lookups of invented keys cause. */
const LOOKUP_BATCH = { concurrency: 1, size: 100 };

/** A cached lookup of a key. `credential` is undefined for an unknown key. `at` is the time of the lookup, in milliseconds of `performance.now()`. */
interface Reading {
  readonly credential: ApiKeyCredential | undefined;
  readonly at: number;
}

/** Creates a directory that finds API keys by prefix. It caches lookups for five seconds, so a revoked key works for up to five more seconds. */
export function createApiKeyDirectory(db: Executor) {
  const known = new LRUCache<string, Reading>({ max: MAX_KEYS });
  // Unknown prefixes have a separate cache, so that invented prefixes do not evict existing keys.
  const unknown = new LRUCache<string, Reading>({ max: MAX_KEYS });
  const read = createBatcher(async (prefixes: readonly string[]) => {
    const rows = await findCredentials(db, { prefixes });
    const found = new Map(rows.map((row) => [row.prefix, credentialOf(row)]));
    return prefixes.map((prefix) => found.get(prefix));
  }, LOOKUP_BATCH);
  const lookUp = coalesceLookups(async (prefix) => {
    const at = performance.now();
    const credential = await read(prefix);
    // V8 may represent the prefix as a slice of a longer string. A copy does not keep that string in memory.
    const key = Buffer.from(prefix, "latin1").toString("latin1");
    const [cache, other] = credential === undefined ? [unknown, known] : [known, unknown];
    cache.set(key, { credential, at });
    other.delete(key);
    return credential;
  });

  return {
    /** Finds the credential with the same prefix as `key`; undefined if there is none. Returns cached credentials synchronously. */
    find(key: string): ApiKeyCredential | undefined | Promise<ApiKeyCredential | undefined> {
      const prefix = extractApiKeyPrefix(key);
      const reading = known.get(prefix) ?? unknown.get(prefix);
      if (reading === undefined) return isWellFormedApiKey(key) ? lookUp(prefix) : undefined;
      const age = performance.now() - reading.at;
      if (age > USABLE_MS) return lookUp(prefix);
      // If this refresh fails, the next lookup after `USABLE_MS` reports the error.
      if (age > FRESH_MS) lookUp(prefix).catch(() => {});
      return reading.credential;
    },
  };
}

function credentialOf(row: CredentialRow): ApiKeyCredential {
  const { account_id: id, account_token: token } = row;
  const account = id === null || token === null ? undefined : { id, token };
  return {
    id: row.id,
    hash: Buffer.from(row.hash),
    principal: {
      actor: { kind: "api_key", id: row.id, prefix: row.prefix },
      scopes: new Set(row.scopes),
      account,
      expiresAt: row.expires_at ?? undefined,
    },
    revokedAt: row.revoked_at,
  };
}
