import type { Caller } from "@calltrack/domain";
import { batchCalls, type Executor } from "@calltrack/postgres";
import { type Selectable, sql } from "kysely";
import { prepareStatement } from "../database/prepared-statement.js";
import type { ApiKeyTable } from "../database/tables/schema.js";
import { isKey, prefixOf } from "./key-text.js";
import { shareLookups } from "./share-lookups.js";
import { TwoGenerationCache } from "./two-generation-cache.js";

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

/** What is read of an API key to tell whether a caller has it. */
type CredentialRow = Pick<Selectable<ApiKeyTable>, (typeof CREDENTIAL_COLUMNS)[number]>;

/** The rows of keys by their prefixes. */
const findCredentials = prepareStatement<{ prefixes: readonly string[] }, CredentialRow>((db, parameter) =>
  db
    .selectFrom("api_keys")
    .select(CREDENTIAL_COLUMNS)
    .where("prefix", "=", sql<string>`any(${parameter("prefixes")}::text[])`),
);

/** What tells whether a caller has a key, and what the key is good for. */
export interface KeyCredential {
  readonly id: string;
  /** The characters of what `hashKey` gives. */
  readonly hash: Uint8Array;
  readonly caller: Caller;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/** Finds keys by their prefixes. */
interface KeyDirectory {
  /** What is known of the key that begins like this one; undefined if there is none. It is not a promise if it is at hand. */
  find(key: string): KeyCredential | undefined | Promise<KeyCredential | undefined>;
}

/** How long what was read holds, though a key in use is read again before, beside its requests. */
const USABLE_MS = 5000;
const FRESH_MS = 2000;

const MOST_KEYS = 20_000;

/** Whoever makes keys up gets one statement at a time to be told that there are none. */
const LOOKUP_BATCH = { concurrency: 1, calls: 100 };

/** What was read of a prefix, and when, by the clock of `performance`. */
interface Reading {
  readonly credential: KeyCredential | undefined;
  readonly at: number;
}

/** Creates a directory that remembers for five seconds what it read: so long a revoked key may go on. */
export function createKeyDirectory(db: Executor): KeyDirectory {
  const known = new TwoGenerationCache<string, Reading>(MOST_KEYS);
  // Apart, so that prefixes that were made up push no key out.
  const unknown = new TwoGenerationCache<string, Reading>(MOST_KEYS);
  const read = batchCalls(async (prefixes: readonly string[]) => {
    const rows = await findCredentials(db, { prefixes });
    const found = new Map(rows.map((row) => [row.prefix, credentialOf(row)]));
    return prefixes.map((prefix) => found.get(prefix));
  }, LOOKUP_BATCH);
  const lookUp = shareLookups(async (prefix) => {
    const at = performance.now();
    const credential = await read(prefix);
    // A copy, as the text of a request is a part of a longer one, which it would keep in memory.
    const key = Buffer.from(prefix, "latin1").toString("latin1");
    (credential === undefined ? unknown : known).set(key, { credential, at });
    return credential;
  });

  return {
    find(key) {
      const prefix = prefixOf(key);
      const reading = known.get(prefix) ?? unknown.get(prefix);
      if (reading === undefined) return isKey(key) ? lookUp(prefix) : undefined;
      const age = performance.now() - reading.at;
      if (age > USABLE_MS) return lookUp(prefix);
      // If that fails, so does the request that comes when what was read holds no more.
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
    caller: { actor: { kind: "api_key", id: row.id, prefix: row.prefix }, scopes: new Set(row.scopes), account },
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  };
}
