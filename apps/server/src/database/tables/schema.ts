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

// Unless a comment says otherwise, `id` columns with UUIDs are UUIDv7s from the database's clock, so ids sort by creation time.

/** The accounts with call tracking enabled. */
export interface AccountTable {
  readonly id: Generated<number>;
  readonly account_token: string;
  readonly is_active: Generated<boolean>;
  readonly created_at: GeneratedAlways<Date>;
  readonly updated_at: Generated<Date>;
  readonly source_aliases: Generated<JSONColumnType<readonly StoredSourceAlias[]>>;
  /** Null if the aliases were never set. */
  readonly source_aliases_updated_at: Date | null;
}

export interface StoredSourceAlias {
  readonly name: string;
  readonly source: string;
  /** Absent if visits keep their own medium. */
  readonly medium?: string | undefined;
}

/**
 * The handles of accounts: each account's token, and its id in canonical decimal. One unique index on both prevents a token from being equal
 * to another account's id, and resolves either with a single lookup.
 */
export interface AccountHandleTable {
  readonly handle: string;
  readonly account_id: number;
  /** The token of the account, which never changes. It is copied here so that requests need not read the account. */
  readonly account_token: string;
}

/** The registered phone numbers of accounts. */
export interface PhoneNumberTable {
  readonly account_id: number;
  readonly id: Generated<string>;
  readonly phone_number: string;
  readonly description: string | null;
  readonly property_token: string | null;
  readonly created_at: GeneratedAlways<Date>;
  readonly updated_at: GeneratedAlways<Date>;
}

export interface PoolTable {
  readonly account_id: number;
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

export interface CallTrackerTable {
  readonly account_id: number;
  readonly pool_id: string;
  readonly id: Generated<string>;
  readonly tracking_number: string;
  readonly status: Generated<"available" | "active" | "flagged">;
  /** Null, like `medium`, unless an automanaged pool's call tracker is active or flagged. */
  readonly source: string | null;
  readonly medium: string | null;
  readonly description: string | null;
  readonly created_at: Generated<Date>;
  /** When the call tracker last became available. The one that has been available for longest is used first. */
  readonly available_since: Generated<Date>;
  /** When the call tracker was flagged; null if it is not flagged. */
  readonly dropped_at: Date | null;
  /** Null unless its number is being retired. */
  readonly retirement: Retirement | null;
  readonly updated_at: Generated<Date>;
}

/** The history of all call trackers, including deleted ones. */
export interface CallTrackerChangeTable {
  readonly account_id: number;
  readonly pool_id: string;
  /** Increases with every change in a pool. */
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
  /** When the lease of the server that runs a pass ends; null without a pass. If the server crashes, others can then run the pass. */
  readonly leased_until: Date | null;
  readonly passed_at: Date | null;
  /** The area code for which the inventory has too few numbers to fill the pool; null if the pool is full. */
  readonly wanted_area_code: string | null;
  readonly missing_numbers: Generated<number>;
  readonly unserved_sources: Generated<number>;
  /** Consecutive failed passes. */
  readonly failures: Generated<number>;
  readonly last_failure: string | null;
}

/**
 * The inventory of numbers for call trackers. It also contains the registered numbers of accounts, as retired numbers, so that no number is
 * ever both.
 */
export interface TrackingNumberTable {
  readonly phone_number: string;
  /** Null for a registered number that was never in the inventory. */
  readonly area_code: string | null;
  readonly state: Generated<"free" | "assigned" | "retiring" | "retired">;
  /** When a free number can be assigned; later than its return if returned numbers rest. */
  readonly free_from: Generated<Date>;
  /** The current or last holder, with `pool_id` and `call_tracker_id`; null if there never was one. */
  readonly account_id: number | null;
  readonly pool_id: string | null;
  readonly call_tracker_id: string | null;
  /** When the last holder returned the number; null while it is held, or if it never was. */
  readonly returned_at: Date | null;
  /** Whether the next pass deletes the call tracker with this retiring number. */
  readonly retires_immediately: Generated<boolean>;
  /** Whether an account has registered the number. */
  readonly is_original: Generated<boolean>;
  /** The phone system at which calls to the number arrive; null if none is set. */
  readonly phone_system_id: string | null;
  readonly created_at: Generated<Date>;
  readonly updated_at: Generated<Date>;
}

/** The call trackers that have held each tracking number. A holder counts until the next one, even after it returned the number. */
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
  /** A UUIDv7 from the database's clock or, for a call that a phone system reported, a UUIDv8 derived from the phone system and `call_id`. */
  readonly id: Generated<string>;
  /** The id that the phone system gave the call. */
  readonly call_id: string;
  readonly tracking_number: string;
  /** Null if the number was withheld or erased, or if the server does not store callers' numbers. */
  readonly caller_number: string | null;
  /** Identifies the caller; see `CallerHasher`. Null if the number was withheld or erased. */
  readonly caller_key: string | null;
  readonly started_at: Date;
  /** Whether the request set `started_at`; if not, the server used the current time. */
  readonly is_start_sent: boolean;
  readonly answered_at: Date | null;
  readonly ended_at: Date | null;
  /** Null until the call has ended. */
  readonly duration_seconds: number | null;
  readonly outcome: "in_progress" | "answered" | "missed" | "busy" | "failed" | "voicemail";
  /** Refines the outcome `missed`, which servers of earlier versions read. Ignored for other outcomes, which those servers may set later. */
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
  /** The reports from that phone system; see `CallEvidence`. */
  readonly evidence: JSONColumnType<CallEvidence> | null;
  readonly outcome_basis: OutcomeBasis | null;
  readonly recording_expires_at: Date | null;
  /** Null if the call was not rejected. */
  readonly reject_reason: RejectReason | null;
  readonly caller_attestation: string | null;
  /** The number that answered; null if nobody did, or if the number is unknown. */
  readonly answered_by: string | null;
  /** Whether ImportCallHistory recorded the call: no call tracker held its number at the time. */
  readonly is_imported: Generated<boolean>;
  readonly created_at: Generated<Date>;
  readonly updated_at: Generated<Date>;
}

/** The phone systems of the operator. */
export interface PhoneSystemTable {
  readonly id: Generated<string>;
  readonly name: string;
  readonly kind: PhoneSystemKind;
  readonly account_sid: string | null;
  readonly fallback_number: string;
  readonly country_code: string | null;
  readonly trunk_prefix: string | null;
  readonly allowed_prefixes: readonly string[];
  /** In lower case. Empty if no SIP host is allowed. */
  readonly allowed_sip_hosts: readonly string[];
  /** Empty for providers, which can do everything. */
  readonly capabilities: readonly PhoneSystemCapability[];
  /** Encrypted, oldest first. */
  readonly credentials: JSONColumnType<readonly StoredCredential[]>;
  readonly is_active: Generated<boolean>;
  readonly created_at: GeneratedAlways<Date>;
  readonly updated_at: Generated<Date>;
}

/** A credential of a phone system, or a secret of a webhook endpoint. */
export interface StoredCredential {
  /** The secret, encrypted with a key of `SECRETS_KEY`. */
  readonly secret: string;
  /** Twilio's shared key, encrypted in the same way. */
  readonly sharedKey?: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601; undefined for the current credential. */
  readonly expiresAt?: string;
}

/** The call flows of pools, and the default call flows of accounts. */
export interface CallFlowTable {
  readonly account_id: number;
  /** The nil UUID for the account's default call flow. */
  readonly pool_id: string;
  /** The message CallFlowSettings in ProtoJSON. */
  readonly settings: JSONColumnType<JsonObject>;
  /** When the pool or account was created: its call flow exists from then on, even without settings. */
  readonly created_at: Generated<Date>;
  readonly updated_at: Generated<Date>;
}

/** Generated values that all servers on the database share. Operators do not set them. */
interface SettingsTable {
  readonly name: "caller_number_key" | "event_log_id" | "last_deleted_event";
  readonly value: Buffer;
}

/** The visits to a property on one UTC day. */
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
  /** The record's `event_id` if it is a UUID; otherwise, a UUID derived from its hash. */
  readonly event_key: string;
  readonly recorded_at: Generated<Date>;
}

/** A single row: the time by which the virtual clock of pool management is ahead of the database's clock. */
interface ClockTable {
  readonly only_row: Generated<boolean>;
  /** Whether the clock is virtual. A real clock ignores `advanced`. */
  readonly is_applied: Generated<boolean>;
  /** An interval. `pg` and PGlite parse intervals differently, so read it only as part of a sum. */
  readonly advanced: Generated<string>;
}

/** The API keys. A key is bound to one account, or valid for all accounts. */
export interface ApiKeyTable {
  readonly id: Generated<string>;
  /** The start of the key, which is unique and not secret. */
  readonly prefix: string;
  /** See `hashKey`. */
  readonly hash: string;
  readonly description: string | null;
  readonly scopes: readonly Scope[];
  /** The account to which the key is bound, by id and token, which never change; null for all accounts. */
  readonly account_id: number | null;
  readonly account_token: string | null;
  readonly created_at: GeneratedAlways<Date>;
  readonly expires_at: Date | null;
  readonly last_used_at: Generated<Date | null>;
  readonly revoked_at: Generated<Date | null>;
}

/** The requests that had a request id, and their responses. */
export interface IdempotencyKeyTable {
  /** The account of the request; 0 if it has none. */
  readonly account_id: number;
  /** SHA-256 of the principal and the request id. The request id itself is not stored. */
  readonly key_hash: Buffer;
  /** SHA-256 of the method and the request. */
  readonly request_hash: Buffer;
  /** See `encryptResponse`; null only within the transaction that handles the request. */
  readonly answer: Buffer | null;
  readonly created_at: Generated<Date>;
  /** When the request id can be used again. */
  readonly expires_at: Date;
}

/** The audit log: a row per changed resource. Rows are never updated. */
export interface AuditEntryTable {
  /** The account of the changed resource; 0 if it has none. */
  readonly account_id: number;
  /** A UUIDv7 from the database's clock, generated while the changed row was locked. It contains the time of the change. */
  readonly id: GeneratedAlways<string>;
  /** The API method, or the command of the server. */
  readonly method: string;
  readonly actor_kind: Actor["kind"];
  /** The id of the API key, the subject of the token or the name of the certificate; null if the actor has none. */
  readonly actor_name: string | null;
  /** The start of the API key; null for other credentials. */
  readonly key_prefix: string | null;
  /** The issuer of the access token; null for other credentials. */
  readonly issuer: string | null;
  readonly resource_type: AuditedType;
  readonly resource_id: string;
  /** The audited columns of the resource, with times in PostgreSQL's format; null if the change created the resource. */
  readonly before: JsonObject | null;
  /** Null if the change deleted the resource. */
  readonly after: JsonObject | null;
}

/** The event log: what happened to which resource. The resource's state is not stored, but read together with the event. Rows are never updated. */
export interface EventTable {
  /** The account of the resource; 0 if it has none. */
  readonly account_id: number;
  /** The position in the log, assigned while the changed row is locked. Transactions can commit in another order. */
  readonly position: Generated<string>;
  readonly type: EventType;
  /** By the database's clock, even if the clock of pool management is virtual. */
  readonly occurred_at: Generated<Date>;
  /** The pool of a call tracker or call flow; null for the call flow of an account, and for other resources. */
  readonly pool_id: string | null;
  /** The UUID of the resource; null for tracking numbers, and for resources that an account has only once. */
  readonly resource_id: string | null;
  /** The tracking number; null for other resources. */
  readonly number: string | null;
  /** The change to a call tracker, which may be deleted by now; null for other resources. */
  readonly facts: JSONColumnType<CallTrackerFacts> | null;
}

/** The columns of `CallTrackerChangeTable` that an event contains. */
export interface CallTrackerFacts {
  readonly tracking_number: string;
  readonly source: string | null;
  readonly medium: string | null;
  readonly reason: string;
}

/** The webhook endpoints of accounts, and those of the operator, which have the account id 0. */
export interface WebhookEndpointTable {
  readonly account_id: number;
  readonly id: Generated<string>;
  readonly url: string;
  readonly description: string | null;
  /** As in the request, such as `call.*`; empty for all types. */
  readonly types: readonly string[];
  readonly payload: WebhookPayload;
  readonly ordered: boolean;
  readonly concurrency: number;
  readonly max_age_seconds: number;
  /** Encrypted, with the endpoint's id as context; oldest first. */
  readonly secrets: JSONColumnType<readonly StoredCredential[]>;
  readonly is_active: Generated<boolean>;
  /** Null if the endpoint is active. */
  readonly inactive_reason: string | null;
  /** Every event for the endpoint up to this position has a delivery. */
  readonly position: string;
  /** When the first attempt failed since the last successful one; null if the last attempt succeeded. */
  readonly failing_since: Date | null;
  /** Until when the receiver asked not to get requests; null if it did not ask. */
  readonly retry_after: Date | null;
  /** When a server must process the endpoint even without a new event: when its lease ends or the next attempt is due; otherwise `Infinity`. */
  readonly due_at: Generated<Date | number>;
  /** The sender that holds the lease, until `leased_until`; null if there is none. */
  readonly leased_by: string | null;
  readonly leased_until: Date | null;
  readonly created_at: GeneratedAlways<Date>;
  readonly updated_at: Generated<Date>;
}

/** The deliveries of events to webhook endpoints. Requests are not stored, but built from the event when they are sent. */
export interface WebhookDeliveryTable {
  readonly account_id: number;
  readonly endpoint_id: string;
  /** The position of the event. */
  readonly position: string;
  /** Identifies the resource of the event. */
  readonly subject: string;
  /** The call of the event; null for other resources. */
  readonly call_id: string | null;
  readonly status: Generated<WebhookDeliveryStatus>;
  /** When the next attempt is due; `Infinity` while an earlier event with the same subject waits; null if there is no further attempt. */
  readonly due_at: Date | number | null;
  readonly attempts: Generated<number>;
  readonly attempted_at: Date | null;
  readonly response_status: number | null;
  readonly failure: string | null;
  readonly response_body: string | null;
}

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

export type ChangeOrigin = Pick<
  Insertable<AuditEntryTable>,
  "method" | "actor_kind" | "actor_name" | "key_prefix" | "issuer"
>;

/** The tables of the database after the newest migration. */
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
