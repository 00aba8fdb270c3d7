import type { Scope } from "@calltrack/domain";
import type { Generated, GeneratedAlways } from "kysely";

/** The API keys that were made, of the whole service: each may be bound to an account or to none. */
export interface ApiKeyTable {
  /** A UUIDv7 by the database's clock, so that the order of ids is the order of creation. */
  readonly id: Generated<string>;
  /** How the key begins: no secret, and no two keys have the same. */
  readonly prefix: string;
  /** See `hashKey`. */
  readonly hash: string;
  readonly description: string | null;
  readonly scopes: readonly Scope[];
  /** The account that it is bound to, by both its names, which never change; null for none. */
  readonly account_id: number | null;
  readonly account_token: string | null;
  readonly created_at: GeneratedAlways<Date>;
  readonly expires_at: Date | null;
  readonly last_used_at: Generated<Date | null>;
  readonly revoked_at: Generated<Date | null>;
}
