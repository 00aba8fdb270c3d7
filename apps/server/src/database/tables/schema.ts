import type { JsonObject } from "@bufbuild/protobuf";
import type { Actor, Retirement, Scope } from "@calltrack/domain";
import type { Generated, GeneratedAlways, Insertable } from "kysely";

/** The accounts that call tracking was enabled for. */
export interface AccountTable {
  readonly id: Generated<number>;
  readonly account_token: string;
  readonly is_active: Generated<boolean>;
  readonly created_at: GeneratedAlways<Date>;
  readonly updated_at: Generated<Date>;
}

/**
 * Every name that an account goes by: its token, and its id in canonical decimal. One unique index over both keeps a token
 * from ever meaning one account and an id another, and one probe of it resolves either.
 */
export interface AccountHandleTable {
  readonly handle: string;
  readonly account_id: number;
  /** The token of the account, which never changes: here so that a request need not read the account for it. */
  readonly account_token: string;
}

/** The phone numbers that accounts have registered. */
export interface PhoneNumberTable {
  readonly account_id: number;
  /** A UUIDv7 by the database's clock, so that the order of ids is the order of creation. */
  readonly id: Generated<string>;
  readonly phone_number: string;
  readonly description: string | null;
  readonly property_token: string | null;
  readonly created_at: GeneratedAlways<Date>;
  readonly updated_at: GeneratedAlways<Date>;
}

/** The pools of accounts. */
export interface PoolTable {
  readonly account_id: number;
  /** A UUIDv7 by the database's clock, so that the order of ids is the order of creation. */
  readonly id: Generated<string>;
  readonly original_number_id: string;
  readonly area_code: string;
  readonly description: string | null;
  readonly is_dni: boolean;
  readonly is_prompted: boolean;
  readonly is_recorded: boolean;
  readonly pool_type: "manual" | "automanaged";
  readonly property_token: string | null;
  readonly size: number;
  /** Null for a manual pool, and for no other. */
  readonly utilization: number | null;
  readonly created_at: GeneratedAlways<Date>;
  readonly updated_at: Generated<Date>;
}

/** The call trackers of pools. */
export interface CallTrackerTable {
  readonly account_id: number;
  readonly pool_id: string;
  /** A UUIDv7 by the database's clock, so that the order of ids is the order of creation. */
  readonly id: Generated<string>;
  readonly tracking_number: string;
  readonly status: Generated<"available" | "active" | "flagged">;
  /** Null unless an automanaged pool's call tracker is active or flagged; so is `medium`. */
  readonly source: string | null;
  readonly medium: string | null;
  readonly description: string | null;
  readonly created_at: Generated<Date>;
  /** When it last became available: the one that has been so longest is used next. */
  readonly available_since: Generated<Date>;
  /** When it was flagged; null if it is not. */
  readonly dropped_at: Date | null;
  /** Null unless its number is being retired. */
  readonly retirement: Retirement | null;
  readonly updated_at: Generated<Date>;
}

/** Every change of every call tracker, also of those that are deleted. */
export interface CallTrackerChangeTable {
  readonly account_id: number;
  readonly pool_id: string;
  /** Grows in the order of the changes of a pool. */
  readonly id: GeneratedAlways<string>;
  readonly call_tracker_id: string;
  readonly tracking_number: string;
  readonly kind: "added" | "activated" | "flagged" | "unflagged" | "deactivated" | "deleted" | "described" | "retiring";
  readonly source: string | null;
  readonly medium: string | null;
  readonly reason: string;
  readonly occurred_at: Generated<Date>;
}

/** When each pool is to be managed next, and how that went last. */
export interface PoolPassTable {
  readonly account_id: number;
  readonly pool_id: string;
  /** The property whose visits make the pool due; null if it is manual. */
  readonly property_token: string | null;
  /** `Infinity` if nothing is going to change by itself, and while the pool is managed until something makes it due again. */
  readonly due_at: Generated<Date | number>;
  /** Null unless a server has taken the pool to manage it: it is due to others then, should that server have died. */
  readonly leased_until: Date | null;
  readonly passed_at: Date | null;
  /** The area code of which the inventory had too few numbers to fill the pool; null if it is full. */
  readonly wanted_area_code: string | null;
  readonly missing_numbers: Generated<number>;
  readonly unserved_sources: Generated<number>;
  /** Attempts that failed since the last that did not. */
  readonly failures: Generated<number>;
  readonly last_failure: string | null;
}

/**
 * The inventory: numbers that call trackers can have. Beside them stand the numbers that accounts have registered as their own, as
 * retired from the start, so that no number is ever both.
 */
export interface TrackingNumberTable {
  readonly phone_number: string;
  /** Null if the number never was one of the inventory, but an account's own. */
  readonly area_code: string | null;
  readonly state: Generated<"free" | "assigned" | "retiring" | "retired">;
  /** From when on a free number may be assigned: a number that was given back may rest until then. */
  readonly free_from: Generated<Date>;
  /** Who holds the number or held it last; null if it never had a holder. */
  readonly account_id: number | null;
  readonly pool_id: string | null;
  readonly call_tracker_id: string | null;
  /** When the last holder gave it back; null if none did or it is held. */
  readonly returned_at: Date | null;
  /** Whether the call tracker that holds it, or held it last, is to be deleted in its next pass, as the number is being retired. */
  readonly retires_immediately: Generated<boolean>;
  /** Whether an account has registered the number. */
  readonly is_original: Generated<boolean>;
  readonly created_at: Generated<Date>;
  readonly updated_at: Generated<Date>;
}

/** What is known of a property's visits of one UTC day. */
interface VisitDayTable {
  readonly account_id: number;
  readonly property_token: string;
  /** `2026-11-21` */
  readonly day: string;
  /** How many rows `visit_counts` has for the day. */
  readonly sources: Generated<number>;
  /** Visits that are counted without their source, as there were too many sources. */
  readonly unattributed: Generated<string>;
}

/** The visits of a property by source, medium and UTC day. */
interface VisitCountTable {
  readonly account_id: number;
  readonly property_token: string;
  readonly day: string;
  readonly source: string;
  readonly medium: string;
  readonly visits: string;
}

/** The records that were counted lately. */
interface VisitEventTable {
  readonly account_id: number;
  /** The record's `event_id` if that is a UUID, else one that is made of its hash. */
  readonly event_key: string;
  readonly recorded_at: Generated<Date>;
}

/** One row: how far the time by which pools are managed is ahead of the database's. */
interface ClockTable {
  readonly only_row: Generated<boolean>;
  /** An interval, which `pg` and PGlite read in different ways: read it as part of a sum. */
  readonly advanced: Generated<string>;
}

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

/** The requests that were done under an id, and what was answered to them. */
export interface IdempotencyKeyTable {
  /** The account that the request is about; 0 if it is about none. */
  readonly account_id: number;
  /** SHA-256 of the caller and the request's id: the id itself is kept nowhere. */
  readonly key_hash: Buffer;
  /** SHA-256 of the method and the request. */
  readonly request_hash: Buffer;
  /** See `encryptResponse`; null within the transaction only that does what the request asks for. */
  readonly answer: Buffer | null;
  readonly created_at: Generated<Date>;
  /** From then on the id can be used anew. */
  readonly expires_at: Date;
}

/** What callers have changed, a row for each change of a resource. Rows are never updated. */
export interface AuditEntryTable {
  /** Of what was changed; 0 if it is of no account. */
  readonly account_id: number;
  /** A UUIDv7 by the database's clock, drawn when the changed row was locked: it has the time of the change. */
  readonly id: GeneratedAlways<string>;
  /** The method of the API, or the command of the server. */
  readonly method: string;
  readonly actor_kind: Actor["kind"];
  /** The key's id, the token's subject or the certificate's name; null if the actor has none. */
  readonly actor_name: string | null;
  /** How the API key begins, if it was one. */
  readonly key_prefix: string | null;
  /** Of the access token, if it was one. */
  readonly issuer: string | null;
  readonly resource_type: AuditedType;
  /** What the resource goes by, as text. */
  readonly resource_id: string;
  /** The resource's columns, with times as PostgreSQL writes them; null if it was made by the change. */
  readonly before: JsonObject | null;
  readonly after: JsonObject;
}

/** What changes are written down of. */
export type AuditedType =
  | "account"
  | "phone_number"
  | "pool"
  | "call_tracker"
  | "tracking_number"
  | "api_key"
  | "clock";

/** What is known of a change before it is made: by which request, and whose. */
export type ChangeOrigin = Pick<
  Insertable<AuditEntryTable>,
  "method" | "actor_kind" | "actor_name" | "key_prefix" | "issuer"
>;

/** The tables of the database, as the newest migration leaves them. */
export interface Schema {
  readonly accounts: AccountTable;
  readonly account_handles: AccountHandleTable;
  readonly phone_numbers: PhoneNumberTable;
  readonly pools: PoolTable;
  readonly pool_passes: PoolPassTable;
  readonly call_trackers: CallTrackerTable;
  readonly call_tracker_changes: CallTrackerChangeTable;
  readonly tracking_numbers: TrackingNumberTable;
  readonly visit_days: VisitDayTable;
  readonly visit_counts: VisitCountTable;
  readonly visit_events: VisitEventTable;
  readonly clock: ClockTable;
  readonly api_keys: ApiKeyTable;
  readonly idempotency_keys: IdempotencyKeyTable;
  readonly audit_entries: AuditEntryTable;
}
