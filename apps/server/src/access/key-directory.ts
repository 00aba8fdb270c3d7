import type { Principal } from "@calltrack/domain";
import { createBatcher, type Executor } from "@calltrack/postgres";
import { type Selectable, sql } from "kysely";
import { LRUCache } from "lru-cache";
import { prepareStatement } from "../database/prepared-statement.js";
import type { ApiKeyTable } from "../database/tables/schema.js";
import { coalesceLookups } from "./coalesce-lookups.js";
import { isWellFormedKey, keyPrefixOf } from "./key-format.js";

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

/** The data to verify a key, and the principal that it identifies. */
export interface KeyCredential {
  readonly id: string;
  /** The hexadecimal hash from `hashKey`, as ASCII bytes. */
  readonly hash: Uint8Array;
  readonly principal: Principal;
  readonly revokedAt: Date | null;
}

/** Maximum age of a cached credential, and the age from which its use triggers a background refresh. */
const USABLE_MS = 5000;
const FRESH_MS = 2000;

const MAX_KEYS = 20_000;

/** Limits the load from lookups of invented keys to one statement at a time. */
const LOOKUP_BATCH = { concurrency: 1, size: 100 };

/** A cached lookup. `at` is in milliseconds of `performance.now()`. */
interface Reading {
  readonly credential: KeyCredential | undefined;
  readonly at: number;
}

/** Creates a directory of API keys by prefix. It caches lookups for five seconds, so a revoked key works for up to five more seconds. */
export function createKeyDirectory(db: Executor) {
  const known = new LRUCache<string, Reading>({ max: MAX_KEYS });
  // The cache is separate so that invented prefixes do not evict existing keys.
  const unknown = new LRUCache<string, Reading>({ max: MAX_KEYS });
  const read = createBatcher(async (prefixes: readonly string[]) => {
    const rows = await findCredentials(db, { prefixes });
    const found = new Map(rows.map((row) => [row.prefix, credentialOf(row)]));
    return prefixes.map((prefix) => found.get(prefix));
  }, LOOKUP_BATCH);
  const lookUp = coalesceLookups(async (prefix) => {
    const at = performance.now();
    const credential = await read(prefix);
    // V8 may represent the prefix as a slice of a longer string, which a copy does not retain.
    const key = Buffer.from(prefix, "latin1").toString("latin1");
    const [cache, other] = credential === undefined ? [unknown, known] : [known, unknown];
    cache.set(key, { credential, at });
    other.delete(key);
    return credential;
  });

  return {
    /** Finds the credential with the prefix of this key; undefined if there is none. Returns it synchronously if it is cached. */
    find(key: string): KeyCredential | undefined | Promise<KeyCredential | undefined> {
      const prefix = keyPrefixOf(key);
      const reading = known.get(prefix) ?? unknown.get(prefix);
      if (reading === undefined) return isWellFormedKey(key) ? lookUp(prefix) : undefined;
      const age = performance.now() - reading.at;
      if (age > USABLE_MS) return lookUp(prefix);
      // If the refresh fails, a request after `USABLE_MS` retries it and reports the error.
      if (age > FRESH_MS) lookUp(prefix).catch(() => {});
      return reading.credential;
    },
  };
}

function credentialOf(row: CredentialRow): KeyCredential {
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
