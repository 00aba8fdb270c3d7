import type { JsonObject } from "@bufbuild/protobuf";
import type {
  Actor,
  CallEvidence,
  EventType,
  OutcomeBasis,
  PhoneSystemCapability,
  PhoneSystemKind,
  RejectReason,
  Retirement,
  Scope,
  WebhookDeliveryStatus,
  WebhookPayload,
} from "@calltrack/domain";
import type { Generated, GeneratedAlways, Insertable, JSONColumnType } from "kysely";

/** The accounts with call tracking enabled. */
export interface AccountTable {
  readonly id: Generated<number>;
  readonly account_token: string;
  readonly is_active: Generated<boolean>;
  readonly created_at: GeneratedAlways<Date>;
  readonly updated_at: Generated<Date>;
  readonly source_aliases: Generated<JSONColumnType<readonly StoredSourceAlias[]>>;
  /** Null if they were never set. */
  readonly source_aliases_updated_at: Date | null;
}

/** A source alias of an account. */
export interface StoredSourceAlias {
  readonly name: string;
  readonly source: string;
  /** Absent if visits keep theirs. */
  readonly medium?: string | undefined;
}

/**
 * The handles of accounts: each account's token, and its id in canonical decimal. One unique index over both prevents a
 * token from being equal to another account's id, and resolves either with a single lookup.
 */
export interface AccountHandleTable {
  readonly handle: string;
  readonly account_id: number;
  /** The token of the account, which never changes. Stored here so that requests need not read the account. */
  readonly account_token: string;
}

/** The registered phone numbers of accounts. */
export interface PhoneNumberTable {
  readonly account_id: number;
  /** A UUIDv7 from the database's clock, so ids sort by creation time. */
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
  /** A UUIDv7 from the database's clock, so ids sort by creation time. */
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
  /** Null for manual pools, and only for those. */
  readonly utilization: number | null;
  readonly created_at: GeneratedAlways<Date>;
  readonly updated_at: Generated<Date>;
}

/** The call trackers of pools. */
export interface CallTrackerTable {
  readonly account_id: number;
  readonly pool_id: string;
  /** A UUIDv7 from the database's clock, so ids sort by creation time. */
  readonly id: Generated<string>;
  readonly tracking_number: string;
  readonly status: Generated<"available" | "active" | "flagged">;
  /** Null, like `medium`, unless an automanaged pool's call tracker is active or flagged. */
  readonly source: string | null;
  readonly medium: string | null;
  readonly description: string | null;
  readonly created_at: Generated<Date>;
  /** When it last became available. The one that has been available for longest is used first. */
  readonly available_since: Generated<Date>;
  /** When it was flagged; null otherwise. */
  readonly dropped_at: Date | null;
  /** Null unless its number is being retired. */
  readonly retirement: Retirement | null;
  readonly updated_at: Generated<Date>;
}

/** The history of all call trackers, including deleted ones. */
export interface CallTrackerChangeTable {
  readonly account_id: number;
  readonly pool_id: string;
  /** Increases with every change of a pool. */
  readonly id: GeneratedAlways<string>;
  readonly call_tracker_id: string;
  readonly tracking_number: string;
  readonly kind: "added" | "activated" | "flagged" | "unflagged" | "deactivated" | "deleted" | "described" | "retiring";
  readonly source: string | null;
  readonly medium: string | null;
  readonly reason: string;
  readonly occurred_at: Generated<Date>;
}

/** The schedule of each pool's passes, and the result of the last pass. */
export interface PoolPassTable {
  readonly account_id: number;
  readonly pool_id: string;
  /** The property whose visits make the pool due; null for a manual pool. */
  readonly property_token: string | null;
  /** `Infinity` if no change is pending, and during a pass unless the pool becomes due again. */
  readonly due_at: Generated<Date | number>;
  /**
   * The end of the lease of the server that runs a pass; null otherwise. If that server crashes, the pool becomes due
   * to others then.
   */
  readonly leased_until: Date | null;
  readonly passed_at: Date | null;
  /** The area code that the inventory has too few numbers of to fill the pool; null if the pool is full. */
  readonly wanted_area_code: string | null;
  readonly missing_numbers: Generated<number>;
  readonly unserved_sources: Generated<number>;
  /** Consecutive failed passes. */
  readonly failures: Generated<number>;
  readonly last_failure: string | null;
}

/**
 * The inventory of numbers for call trackers. It also contains the registered numbers of accounts, as retired numbers,
 * so that no number is ever both.
 */
export interface TrackingNumberTable {
  readonly phone_number: string;
  /** Null for a number that is an account's own and was never in the inventory. */
  readonly area_code: string | null;
  readonly state: Generated<"free" | "assigned" | "retiring" | "retired">;
  /** When a free number can be assigned; later than its return if returned numbers rest. */
  readonly free_from: Generated<Date>;
  /** The current or last holder, with `pool_id` and `call_tracker_id`; null if there never was one. */
  readonly account_id: number | null;
  readonly pool_id: string | null;
  readonly call_tracker_id: string | null;
  /** When the last holder returned it; null while it is held or if it never was. */
  readonly returned_at: Date | null;
  /** Whether the call tracker with this retiring number is deleted in the next pass. */
  readonly retires_immediately: Generated<boolean>;
  /** Whether an account has registered the number. */
  readonly is_original: Generated<boolean>;
  /** The phone system that calls to the number arrive at; null if the number names none. */
  readonly phone_system_id: string | null;
  readonly created_at: Generated<Date>;
  readonly updated_at: Generated<Date>;
}

/** The holders of each tracking number. A holder counts until the next one, even after it gave the number back. */
interface TrackingNumberHolderTable {
  readonly phone_number: string;
  readonly held_from: Date;
  readonly call_tracker_id: string;
  readonly account_id: number;
  readonly pool_id: string;
}

/** The calls to tracking numbers. A call is attributed as of `started_at`, and its attribution never changes. */
export interface CallTable {
  readonly account_id: number;
  /** A UUIDv7 by the database's clock; for a call of a phone system, a UUIDv8 of the phone system and its call id. */
  readonly id: Generated<string>;
  /** The id of the call in the phone system that reported it. */
  readonly call_id: string;
  readonly tracking_number: string;
  /** Null if the number was withheld or erased, or if the server does not store callers' numbers. */
  readonly caller_number: string | null;
  /** Identifies the caller, see `CallerHasher`; null if the number was withheld or erased. */
  readonly caller_key: string | null;
  readonly started_at: Date;
  /** Whether the request set `started_at`; if not, the server used the current time. */
  readonly is_start_sent: boolean;
  readonly answered_at: Date | null;
  readonly ended_at: Date | null;
  /** Null until the call has ended. */
  readonly duration_seconds: number | null;
  readonly outcome: "in_progress" | "answered" | "missed" | "busy" | "failed" | "voicemail";
  /** Servers of the version before it read the outcome `missed`. It counts for that outcome only, which they may change. */
  readonly outcome_detail: "abandoned" | "unknown" | null;
  readonly recording_url: string | null;
  /** Null for an imported call, as are `call_tracker_id` and `tracker_status`. */
  readonly pool_id: string | null;
  readonly call_tracker_id: string | null;
  readonly original_number: string;
  readonly property_token: string | null;
  readonly source: string | null;
  readonly medium: string | null;
  readonly tracker_status: "available" | "active" | "flagged" | "released" | null;
  /** Whether the account has no earlier call with the same `caller_key`; null if the number was withheld. */
  readonly is_first_call: boolean | null;
  readonly is_prompted: boolean;
  readonly is_recorded: boolean;
  /** The phone system that reported the call by webhooks; null for calls recorded by CreateCall. */
  readonly phone_system_id: string | null;
  /** The reports of that phone system, see `CallEvidence`. */
  readonly evidence: JSONColumnType<CallEvidence> | null;
  readonly outcome_basis: OutcomeBasis | null;
  readonly recording_expires_at: Date | null;
  /** Null if the call was not rejected. */
  readonly reject_reason: RejectReason | null;
  readonly caller_attestation: string | null;
  /** The number that answered; null if nobody did, or if it is not known. */
  readonly answered_by: string | null;
  /** Whether ImportCallHistory recorded it: no call tracker had its number when it rang. */
  readonly is_imported: Generated<boolean>;
  readonly created_at: Generated<Date>;
  readonly updated_at: Generated<Date>;
}

/** The phone systems of the operator. */
export interface PhoneSystemTable {
  /** A UUIDv7 from the database's clock, so ids sort by creation time. */
  readonly id: Generated<string>;
  readonly name: string;
  readonly kind: PhoneSystemKind;
  readonly account_sid: string | null;
  readonly fallback_number: string;
  readonly country_code: string | null;
  readonly trunk_prefix: string | null;
  readonly allowed_prefixes: readonly string[];
  /** In lower case. Empty for none. */
  readonly allowed_sip_hosts: readonly string[];
  /** Empty for providers, which can do everything. */
  readonly capabilities: readonly PhoneSystemCapability[];
  /** Encrypted, oldest first. */
  readonly credentials: JSONColumnType<readonly StoredCredential[]>;
  readonly is_active: Generated<boolean>;
  readonly created_at: GeneratedAlways<Date>;
  readonly updated_at: Generated<Date>;
}

/** A credential of a phone system. */
export interface StoredCredential {
  /** The secret, encrypted with a key of `SECRETS_KEY`. */
  readonly secret: string;
  /** Twilio's shared key, encrypted likewise. */
  readonly sharedKey?: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601; undefined for the current credential. */
  readonly expiresAt?: string;
}

/** The call flows of pools, and the defaults of accounts. */
export interface CallFlowTable {
  readonly account_id: number;
  /** The nil UUID for the default of the account. */
  readonly pool_id: string;
  /** The message CallFlowSettings as ProtoJSON. */
  readonly settings: JSONColumnType<JsonObject>;
  /** When its pool or account was created: it exists from then on, without settings. */
  readonly created_at: Generated<Date>;
  readonly updated_at: Generated<Date>;
}

/** Generated values that all servers on the database share. Operators do not set them. */
interface SettingsTable {
  readonly name: "caller_number_key" | "event_log_id" | "last_deleted_event";
  readonly value: Buffer;
}

/** The visits of a property on one UTC day. */
interface VisitDayTable {
  readonly account_id: number;
  readonly property_token: string;
  /** `2026-11-21` */
  readonly day: string;
  /** The number of rows of `visit_counts` for the day. */
  readonly sources: Generated<number>;
  /** Visits that were counted without a source because there were too many sources. */
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

/** The visit records that were counted recently, for deduplication. */
interface VisitEventTable {
  readonly account_id: number;
  /** The record's `event_id` if it is a UUID, else a UUID made from its hash. */
  readonly event_key: string;
  readonly recorded_at: Generated<Date>;
}

/** A single row: how far the virtual clock of pool management is ahead of the database's. */
interface ClockTable {
  readonly only_row: Generated<boolean>;
  /** Whether the clock is virtual. A real clock ignores `advanced`. */
  readonly is_applied: Generated<boolean>;
  /** An interval. `pg` and PGlite parse intervals differently, so read it only as part of a sum. */
  readonly advanced: Generated<string>;
}

/** The API keys of the whole service. A key is restricted to one account or valid for all. */
export interface ApiKeyTable {
  /** A UUIDv7 from the database's clock, so ids sort by creation time. */
  readonly id: Generated<string>;
  /** The start of the key, which is unique and not secret. */
  readonly prefix: string;
  /** See `hashKey`. */
  readonly hash: string;
  readonly description: string | null;
  readonly scopes: readonly Scope[];
  /** The account that the key is restricted to, by id and token, which never change; null for all accounts. */
  readonly account_id: number | null;
  readonly account_token: string | null;
  readonly created_at: GeneratedAlways<Date>;
  readonly expires_at: Date | null;
  readonly last_used_at: Generated<Date | null>;
  readonly revoked_at: Generated<Date | null>;
}

/** The requests that had an id, and their responses. */
export interface IdempotencyKeyTable {
  /** The account of the request; 0 if it has none. */
  readonly account_id: number;
  /** SHA-256 of the caller and the request id. The id itself is not stored. */
  readonly key_hash: Buffer;
  /** SHA-256 of the method and the request. */
  readonly request_hash: Buffer;
  /** See `encryptResponse`; null only within the transaction that handles the request. */
  readonly answer: Buffer | null;
  readonly created_at: Generated<Date>;
  /** When the id can be used again. */
  readonly expires_at: Date;
}

/** The audit log: a row per changed resource. Rows are never updated. */
export interface AuditEntryTable {
  /** The account of the changed resource; 0 if it has none. */
  readonly account_id: number;
  /**
   * A UUIDv7 from the database's clock, generated while the changed row was locked. It contains the time of the change.
   */
  readonly id: GeneratedAlways<string>;
  /** The method of the API, or the command of the server. */
  readonly method: string;
  readonly actor_kind: Actor["kind"];
  /** The id of the API key, the subject of the token or the name of the certificate; null if the actor has none. */
  readonly actor_name: string | null;
  /** The start of the API key; null for other credentials. */
  readonly key_prefix: string | null;
  /** The issuer of the access token; null for other credentials. */
  readonly issuer: string | null;
  readonly resource_type: AuditedType;
  /** The identifier of the resource, as text. */
  readonly resource_id: string;
  /**
   * The audited columns of the resource, with times in PostgreSQL's format; null if the change created the resource.
   */
  readonly before: JsonObject | null;
  /** Null if the change deleted the resource. */
  readonly after: JsonObject | null;
}

/** The event log: what happened to which resource. The resource itself is read when an event is. Rows are never updated. */
export interface EventTable {
  /** The account of the resource; 0 if it has none. */
  readonly account_id: number;
  /** The place in the log. Drawn while the changed row is locked; transactions can commit in another order. */
  readonly position: Generated<string>;
  readonly type: EventType;
  /** By the database's own clock, even if the pool clock is virtual. */
  readonly occurred_at: Generated<Date>;
  /** The pool of a call tracker or call flow; null for the call flow of an account, and for other resources. */
  readonly pool_id: string | null;
  /** The UUID of the resource; null for tracking numbers and for resources that an account has one of. */
  readonly resource_id: string | null;
  /** The tracking number; null for other resources. */
  readonly number: string | null;
  /** The change to a call tracker, which may be deleted by now; null for other resources. */
  readonly facts: JSONColumnType<CallTrackerFacts> | null;
}

/** The history's facts about the change of a call tracker. */
export interface CallTrackerFacts {
  readonly tracking_number: string;
  readonly source: string | null;
  readonly medium: string | null;
  readonly reason: string;
}

/** The webhook endpoints of accounts and of the operator, which have the account id 0. */
export interface WebhookEndpointTable {
  readonly account_id: number;
  /** A UUIDv7 from the database's clock, so ids sort by creation time. */
  readonly id: Generated<string>;
  readonly url: string;
  readonly description: string | null;
  /** As they were sent, such as `call.*`; empty for all. */
  readonly types: readonly string[];
  readonly payload: WebhookPayload;
  readonly ordered: boolean;
  readonly concurrency: number;
  readonly max_age_seconds: number;
  /** Encrypted, with the endpoint's id as context; oldest first. */
  readonly secrets: JSONColumnType<readonly StoredCredential[]>;
  readonly is_active: Generated<boolean>;
  /** Null if it is active. */
  readonly inactive_reason: string | null;
  /** Every event up to here that is for the endpoint has a delivery. */
  readonly position: string;
  /** When the first attempt failed after the last one that did not; null if the last one did not. */
  readonly failing_since: Date | null;
  /** Until when the receiver wants no requests; null if it did not say so. */
  readonly retry_after: Date | null;
  /** When a server must look after it without a new event: at the end of its lease, or for the next attempt; else `Infinity`. */
  readonly due_at: Generated<Date | number>;
  /** The sender that sends to it, until `leased_until`; null if there is none. */
  readonly leased_by: string | null;
  readonly leased_until: Date | null;
  readonly created_at: GeneratedAlways<Date>;
  readonly updated_at: Generated<Date>;
}

/** The deliveries of events to webhook endpoints. The request is not stored: it is made of the event when it is sent. */
export interface WebhookDeliveryTable {
  /** That of the endpoint. */
  readonly account_id: number;
  readonly endpoint_id: string;
  /** That of the event. */
  readonly position: string;
  /** Identifies the resource of the event. */
  readonly subject: string;
  /** The call of the event; null for other resources. */
  readonly call_id: string | null;
  readonly status: Generated<WebhookDeliveryStatus>;
  /** When it is sent next; `Infinity` while an earlier event of its subject waits, null if it is not sent any more. */
  readonly due_at: Date | number | null;
  readonly attempts: Generated<number>;
  readonly attempted_at: Date | null;
  readonly response_status: number | null;
  readonly failure: string | null;
  readonly response_body: string | null;
}

/** The types of audited resources. */
export type AuditedType =
  | "account"
  | "phone_number"
  | "pool"
  | "call_tracker"
  | "tracking_number"
  | "api_key"
  | "call"
  | "phone_system"
  | "call_flow"
  | "source_aliases"
  | "webhook_endpoint"
  | "clock";

/** The origin of a change: the method and the actor. */
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
  readonly tracking_number_holders: TrackingNumberHolderTable;
  readonly calls: CallTable;
  readonly phone_systems: PhoneSystemTable;
  readonly call_flows: CallFlowTable;
  readonly visit_days: VisitDayTable;
  readonly visit_counts: VisitCountTable;
  readonly visit_events: VisitEventTable;
  readonly clock: ClockTable;
  readonly settings: SettingsTable;
  readonly api_keys: ApiKeyTable;
  readonly idempotency_keys: IdempotencyKeyTable;
  readonly audit_entries: AuditEntryTable;
  readonly events: EventTable;
  readonly webhook_endpoints: WebhookEndpointTable;
  readonly webhook_deliveries: WebhookDeliveryTable;
}
