import type { JsonObject } from "@bufbuild/protobuf";
import type {
  CallEvidence,
  EventType,
  OutcomeBasis,
  PhoneSystemCapability,
  PhoneSystemKind,
  PrincipalIdentity,
  RejectReason,
  RetirementMode,
  Scope,
  WebhookDeliveryStatus,
  WebhookPayloadStyle,
} from "@calltrack/domain";
import type { Generated, GeneratedAlways, Insertable, JSONColumnType } from "kysely";

// Unless a comment says otherwise, `id` columns of type UUID contain UUIDv7s from the database's clock, so ids sort by creation time.

/** The accounts for which call tracking was enabled. */
export interface AccountTable {
  readonly id: Generated<number>;
  readonly account_token: string;
  readonly is_active: Generated<boolean>;
  readonly created_at: GeneratedAlways<Date>;
  readonly updated_at: Generated<Date>;
  readonly source_aliases: Generated<JSONColumnType<readonly StoredSourceAlias[]>>;
  /** When the source aliases were last set; null if they were never set. */
  readonly source_aliases_updated_at: Date | null;
}

export interface StoredSourceAlias {
  readonly name: string;
  readonly source: string;
  /** The medium of visits with this alias. Absent if such visits keep their own medium. */
  readonly medium?: string | undefined;
}

/**
 * The handles of accounts: each account's token, and each account's id as a decimal number. The primary key over both kinds prevents a token from
 * being equal to the id of another account. It also finds an account by its token or by its id with a single lookup.
 */
export interface AccountHandleTable {
  readonly handle: string;
  readonly account_id: number;
  /** A copy of the account's token, which never changes, so that requests need not read the account. */
  readonly account_token: string;
}

/** The phone numbers that accounts have registered. */
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
  /** Null if and only if the pool is manual. */
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
  /** The source of the calls. Null, like `medium`, unless the call tracker is active or flagged and its pool is automanaged. */
  readonly source: string | null;
  readonly medium: string | null;
  readonly description: string | null;
  readonly created_at: Generated<Date>;
  /** When the call tracker last became available. The call tracker that has been available for longest is activated first. */
  readonly available_since: Generated<Date>;
  /** When the call tracker was flagged; null if the call tracker is not flagged. */
  readonly dropped_at: Date | null;
  /** How the number of the call tracker is being retired; null if it is not being retired. */
  readonly retirement: RetirementMode | null;
  readonly updated_at: Generated<Date>;
}

/** The history of all call trackers, including deleted call trackers. */
export interface CallTrackerChangeTable {
  readonly account_id: number;
  readonly pool_id: string;
  /** Increases with every change to a call tracker of the pool. */
  readonly id: GeneratedAlways<string>;
  readonly call_tracker_id: string;
  readonly tracking_number: string;
  readonly kind: "added" | "activated" | "flagged" | "unflagged" | "deactivated" | "deleted" | "described" | "retiring";
  readonly source: string | null;
  readonly medium: string | null;
  readonly reason: string;
  readonly occurred_at: Generated<Date>;
}

/** One row per pool: when its next pass is due, and the result of its last pass. */
export interface PoolPassTable {
  readonly account_id: number;
  readonly pool_id: string;
  /** The property whose recorded visits make the pool due for a pass; null for a manual pool. */
  readonly property_token: string | null;
  /** When the next pass is due. `Infinity` if the pool needs no pass. A starting pass sets `Infinity`. */
  readonly due_at: Generated<Date | number>;
  /**
   * When the lease of the server that runs a pass over the pool ends; null if no pass is running. If that server crashes, other servers can run the
   * pass after this time.
   */
  readonly leased_until: Date | null;
  readonly passed_at: Date | null;
  /** The area code in which the inventory has too few numbers to fill the pool; null if the pool is full. */
  readonly wanted_area_code: string | null;
  readonly missing_numbers: Generated<number>;
  readonly unserved_sources: Generated<number>;
  /** The number of passes that have failed since the last successful pass. */
  readonly failures: Generated<number>;
  readonly last_failure: string | null;
}

/**
 * The inventory of phone numbers for call trackers. It also contains the numbers that accounts have registered, as retired numbers, so that
 * a registered number can never be assigned to a call tracker.
 */
export interface TrackingNumberTable {
  readonly phone_number: string;
  /** Null for a number that an account registered, and that was never in the inventory. */
  readonly area_code: string | null;
  readonly state: Generated<"free" | "assigned" | "retiring" | "retired">;
  /** From when a free number can be assigned. Later than `returned_at` if the setting NUMBER_REST is not 0. */
  readonly free_from: Generated<Date>;
  /** The account of the call tracker that holds the number or held it last. Null, like `pool_id` and `call_tracker_id`, if none ever held it. */
  readonly account_id: number | null;
  readonly pool_id: string | null;
  readonly call_tracker_id: string | null;
  /** When the last call tracker returned the number. Null while a call tracker holds the number, and if none ever held it. */
  readonly returned_at: Date | null;
  /** Whether the next pass deletes the call tracker that holds this retiring number. */
  readonly retires_immediately: Generated<boolean>;
  /** Whether an account has registered the number. */
  readonly is_original: Generated<boolean>;
  /** The phone system at which calls to the number arrive; null if the number has no phone system. */
  readonly phone_system_id: string | null;
  readonly created_at: Generated<Date>;
  readonly updated_at: Generated<Date>;
}

/**
 * The call trackers that have held each number. A call tracker counts as the holder until another call tracker gets the number, even after it
 * returned the number.
 */
interface TrackingNumberHolderTable {
  readonly phone_number: string;
  readonly held_from: Date;
  readonly call_tracker_id: string;
  readonly account_id: number;
  readonly pool_id: string;
}

/** The calls to tracking numbers. A call is attributed to the call tracker that held the number at `started_at`. The attribution never changes. */
export interface CallTable {
  readonly account_id: number;
  /** A UUIDv7 from the database's clock. For a call that a phone system reported, a UUIDv8 that is derived from the phone system and `call_id`. */
  readonly id: Generated<string>;
  /** The id of the call in the phone system. */
  readonly call_id: string;
  readonly tracking_number: string;
  /** The caller's phone number. Null if the caller withheld it, if it was erased, or with the setting CALLER_NUMBERS=hash. */
  readonly caller_number: string | null;
  /** A hash of the caller's phone number; see `CallerHasher`. Null if the caller withheld the number, or if it was erased. */
  readonly caller_key: string | null;
  readonly started_at: Date;
  /** Whether the request set `started_at`. If false, the server used its current time. */
  readonly is_start_sent: boolean;
  readonly answered_at: Date | null;
  readonly ended_at: Date | null;
  /** Null until the call has ended, and if nobody reported the duration. */
  readonly duration_seconds: number | null;
  readonly outcome: "in_progress" | "answered" | "missed" | "busy" | "failed" | "voicemail";
  /** The actual outcome if `outcome` is `missed`, which servers of earlier versions read. Ignored if those servers set another `outcome` later. */
  readonly outcome_detail: "abandoned" | "unknown" | null;
  readonly recording_url: string | null;
  /** The pool of the call tracker. Null, like `call_tracker_id` and `tracker_status`, for an imported call. */
  readonly pool_id: string | null;
  readonly call_tracker_id: string | null;
  readonly original_number: string;
  readonly property_token: string | null;
  readonly source: string | null;
  readonly medium: string | null;
  readonly tracker_status: "available" | "active" | "flagged" | "released" | null;
  /** Whether the account has no earlier call with the same `caller_key`. Null if the caller withheld the phone number. */
  readonly is_first_call: boolean | null;
  readonly is_prompted: boolean;
  readonly is_recorded: boolean;
  /** The phone system that reported the call by webhooks. Null if a method of the API recorded the call. */
  readonly phone_system_id: string | null;
  /** The facts in the reports from the phone system; see `CallEvidence`. Null if `phone_system_id` is null. */
  readonly evidence: JSONColumnType<CallEvidence> | null;
  readonly outcome_basis: OutcomeBasis | null;
  readonly recording_expires_at: Date | null;
  /** Why Calltrack rejected the call; null if the call was not rejected. */
  readonly reject_reason: RejectReason | null;
  readonly caller_attestation: string | null;
  /** The phone number that answered the call. Null if nobody answered, or if the answering number is unknown. */
  readonly answered_by: string | null;
  /** Whether ImportCallHistory recorded the call. When such a call started, no call tracker held the dialed number. */
  readonly is_imported: Generated<boolean>;
  readonly created_at: Generated<Date>;
  readonly updated_at: Generated<Date>;
}

/** The phone systems that the operator has connected. */
export interface PhoneSystemTable {
  readonly id: Generated<string>;
  readonly name: string;
  readonly kind: PhoneSystemKind;
  readonly account_sid: string | null;
  readonly fallback_number: string;
  readonly country_code: string | null;
  readonly trunk_prefix: string | null;
  readonly allowed_prefixes: readonly string[];
  /** The hosts of SIP URIs that the phone system may dial, in lower case. Empty if no SIP host is allowed. */
  readonly allowed_sip_hosts: readonly string[];
  /** The capabilities of a PBX (`sip`). Empty for the other kinds of phone systems, which can do everything. */
  readonly capabilities: readonly PhoneSystemCapability[];
  /** The credentials that the phone system accepts, oldest first. The secrets in them are encrypted. */
  readonly credentials: JSONColumnType<readonly StoredCredential[]>;
  readonly is_active: Generated<boolean>;
  readonly created_at: GeneratedAlways<Date>;
  readonly updated_at: Generated<Date>;
}

/** A credential of a phone system, or a secret of a webhook endpoint. */
export interface StoredCredential {
  /** The secret, encrypted with one of the server's secret keys. */
  readonly secret: string;
  /** Twilio's shared key, encrypted with one of the server's secret keys. */
  readonly sharedKey?: string;
  /** In ISO 8601. */
  readonly createdAt: string;
  /** When a replaced credential expires, in ISO 8601; undefined for the current credential. */
  readonly expiresAt?: string;
}

/** The call flows of pools, and the default call flows of accounts. */
export interface CallFlowTable {
  readonly account_id: number;
  /** The id of the pool; the nil UUID for the default call flow of the account. */
  readonly pool_id: string;
  /** A message CallFlowSettings in ProtoJSON. */
  readonly settings: JSONColumnType<JsonObject>;
  /** When the pool or the account was created, because its call flow exists from that time, even without settings. */
  readonly created_at: Generated<Date>;
  readonly updated_at: Generated<Date>;
}

/** Generated values that all servers on the database share. They are no settings of the operator. */
interface SettingsTable {
  readonly name: "caller_number_key" | "event_log_id" | "last_deleted_event";
  readonly value: Buffer;
}

/** One row per property and UTC day with visits. */
interface VisitDayTable {
  readonly account_id: number;
  readonly property_token: string;
  /** A UTC day, such as `2026-11-21`. */
  readonly day: string;
  /** The number of rows in `visit_counts` for the property and the day. */
  readonly sources: Generated<number>;
  /** The number of visits that were counted without a source, because the day already had too many sources. */
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

/** The keys of recently counted visits, so that a visit that is recorded again is not counted twice. */
interface VisitEventTable {
  readonly account_id: number;
  /** The `event_id` of the visit if it is a UUID; otherwise, a UUID derived from a hash of the `event_id`. */
  readonly event_key: string;
  readonly recorded_at: Generated<Date>;
}

/** A single row that stores how far the virtual clock of pool management is ahead of the database's clock. */
interface ClockTable {
  readonly only_row: Generated<boolean>;
  /** Whether pool management uses a virtual clock. A real clock ignores `advanced`. */
  readonly is_applied: Generated<boolean>;
  /** An interval. `pg` and PGlite parse intervals differently, so statements return this column only as part of a sum. */
  readonly advanced: Generated<string>;
}

/** The API keys. Each key is bound to one account, or is valid for all accounts. */
export interface ApiKeyTable {
  readonly id: Generated<string>;
  /** The first 15 characters of the key. They are unique and not secret. */
  readonly prefix: string;
  /** The hash of the whole key; see `hashApiKey`. */
  readonly hash: string;
  readonly description: string | null;
  readonly scopes: readonly Scope[];
  /** The account to which the key is bound. Null, like `account_token`, for a key that is valid for all accounts. */
  readonly account_id: number | null;
  readonly account_token: string | null;
  readonly created_at: GeneratedAlways<Date>;
  readonly expires_at: Date | null;
  readonly last_used_at: Generated<Date | null>;
  readonly revoked_at: Generated<Date | null>;
}

/** The requests that were sent with a request id, and the responses to them. */
export interface IdempotencyKeyTable {
  /** The account in the request; 0 if the request names no account. */
  readonly account_id: number;
  /** The SHA-256 hash of the principal and the request id. The request id itself is not stored. */
  readonly key_hash: Buffer;
  /** The SHA-256 hash of the method and the request. */
  readonly request_hash: Buffer;
  /** The response, encrypted by `encryptResponse`. Null only within the transaction that handles the request. */
  readonly answer: Buffer | null;
  readonly created_at: Generated<Date>;
  /** From when the request id can be used for another request. */
  readonly expires_at: Date;
}

/** The audit log: one row for each change to a resource. Rows are never updated. */
export interface AuditEntryTable {
  /** The account of the changed resource; 0 if the resource belongs to no account. */
  readonly account_id: number;
  /** A UUIDv7 from the database's clock, generated while the changed row was locked. Contains the time of the change. */
  readonly id: GeneratedAlways<string>;
  /** The method of the API or the command of the server that made the change. */
  readonly method: string;
  readonly actor_kind: PrincipalIdentity["kind"];
  /** The id of the API key, the subject of the access token, or the name of the client certificate. Null for other actors. */
  readonly actor_name: string | null;
  /** The prefix of the API key; null for other credentials. */
  readonly key_prefix: string | null;
  /** The issuer of the access token; null for other credentials. */
  readonly issuer: string | null;
  readonly resource_type: AuditedResourceType;
  readonly resource_id: string;
  /** The audited columns of the resource, with times in PostgreSQL's format; null if the change created the resource. */
  readonly before: JsonObject | null;
  /** Null if the change deleted the resource. */
  readonly after: JsonObject | null;
}

/** The event log: the type and the resource of each event. Rows do not contain the state of the resource, and are never updated. */
export interface EventTable {
  /** The account of the resource; 0 if the resource belongs to no account. */
  readonly account_id: number;
  /** The position of the event in the log, assigned while the changed row is locked. Transactions can commit in another order. */
  readonly position: Generated<string>;
  readonly type: EventType;
  /** The time of the database's clock, even if the clock of pool management is virtual. */
  readonly occurred_at: Generated<Date>;
  /** The pool of a call tracker or call flow. Null for the default call flow of an account, and for other resources. */
  readonly pool_id: string | null;
  /** The UUID of the resource. Null for tracking numbers, and for resources that an account has only once. */
  readonly resource_id: string | null;
  /** The phone number, if the resource is a tracking number; null for other resources. */
  readonly number: string | null;
  /** The facts about a change to a call tracker, because the call tracker may be deleted later. Null for other resources. */
  readonly facts: JSONColumnType<CallTrackerEventFacts> | null;
}

/** The columns of `CallTrackerChangeTable` that an event about a call tracker contains. */
export interface CallTrackerEventFacts {
  readonly tracking_number: string;
  readonly source: string | null;
  readonly medium: string | null;
  readonly reason: string;
}

/** The webhook endpoints of accounts, and the webhook endpoints of the operator, whose account id is 0. */
export interface WebhookEndpointTable {
  readonly account_id: number;
  readonly id: Generated<string>;
  readonly url: string;
  readonly description: string | null;
  /** The types of events that the endpoint receives, as in the request, such as `call.*`. Empty for all types. */
  readonly types: readonly string[];
  readonly payload: WebhookPayloadStyle;
  readonly ordered: boolean;
  readonly concurrency: number;
  readonly max_age_seconds: number;
  /** The secrets that sign requests, oldest first. Encrypted with the endpoint's id as context. */
  readonly secrets: JSONColumnType<readonly StoredCredential[]>;
  readonly is_active: Generated<boolean>;
  /** Why the endpoint is inactive; null if the endpoint is active. */
  readonly inactive_reason: string | null;
  /** The position in the event log up to which every event for the endpoint has a delivery. */
  readonly position: string;
  /** When the first of the attempts after the last successful attempt failed. Null if the last attempt succeeded. */
  readonly failing_since: Date | null;
  /** The end of the pause for which the receiver asked with `Retry-After`. Null if the receiver asked for no pause. */
  readonly retry_after: Date | null;
  /** When a server must process the endpoint even without a new event: its lease ends, or an attempt is due. `Infinity` if never. */
  readonly due_at: Generated<Date | number>;
  /** The id of the sender that holds the lease of the endpoint until `leased_until`. Null if no sender holds it. */
  readonly leased_by: string | null;
  readonly leased_until: Date | null;
  readonly created_at: GeneratedAlways<Date>;
  readonly updated_at: Generated<Date>;
}

/** The deliveries of events to webhook endpoints. Senders build the requests from the events, so requests are not stored. */
export interface WebhookDeliveryTable {
  readonly account_id: number;
  readonly endpoint_id: string;
  /** The position of the delivered event in the event log. */
  readonly position: string;
  /** A text that identifies the resource of the event. */
  readonly subject: string;
  /** The id of the call, if the resource of the event is a call; null for other resources. */
  readonly call_id: string | null;
  readonly status: Generated<WebhookDeliveryStatus>;
  /** When the next attempt is due. `Infinity` while an earlier delivery with the same subject waits. Null after the last attempt. */
  readonly due_at: Date | number | null;
  readonly attempts: Generated<number>;
  readonly attempted_at: Date | null;
  readonly response_status: number | null;
  readonly failure: string | null;
  readonly response_body: string | null;
}

export type AuditedResourceType =
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

/** The row types of all tables after the newest migration, keyed by the table name. */
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
