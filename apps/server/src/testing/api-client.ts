/** An account as the interface documents it. */
export interface AccountJson {
  readonly id: number;
  readonly is_active: boolean;
  readonly account_token: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A phone number as it is documented. */
export interface PhoneNumberJson {
  readonly id: string;
  readonly account_token: string;
  readonly phone_number: string;
  readonly description: string | null;
  readonly property_token: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A pool as the interface documents it. */
export interface PoolJson {
  readonly id: string;
  readonly original_number_id: string;
  readonly account_token: string;
  readonly area_code: string;
  readonly description: string | null;
  readonly is_dni: boolean;
  readonly is_prompted: boolean;
  readonly is_recorded: boolean;
  readonly pool_type: string;
  readonly property_token: string | null;
  readonly size: number;
  readonly utilization: number | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A call tracker as it is documented. */
export interface CallTrackerJson {
  readonly id: string;
  readonly original_number: string;
  readonly original_number_id: string;
  readonly description: string | null;
  readonly tracking_number: string;
  readonly pool_id: string;
  readonly status: "available" | "active" | "flagged";
  readonly source: string | null;
  readonly medium: string | null;
  readonly created_at: string;
  readonly dropped_at: string | null;
  readonly updated_at: string;
}

/** A change of a call tracker, in a history or in a plan. */
export interface CallTrackerChangeJson {
  readonly occurred_at: string;
  readonly kind: string;
  readonly call_tracker_id: string | null;
  readonly tracking_number: string;
  readonly source: string | null;
  readonly medium: string | null;
  readonly reason: string;
  readonly happens_anyway: boolean;
}

/** What a change of a pool would do. */
export interface PoolPlanJson {
  readonly changes: readonly CallTrackerChangeJson[];
  readonly unserved_sources: number;
  readonly missing_numbers: number;
  readonly planned_until: string;
  readonly is_frozen: boolean;
}

/** What a pool does about one source. */
export interface SourceExplanationJson {
  readonly source: string;
  readonly medium: string;
  readonly visits: number;
  readonly rank: number | null;
  readonly call_tracker_id: string | null;
  readonly tracking_number: string | null;
  readonly status: "unspecified" | "available" | "active" | "flagged";
  readonly is_served: boolean;
  readonly reason: string;
}

/** What a pool does at the moment, and why. */
export interface PoolExplanationJson {
  readonly sources: readonly SourceExplanationJson[];
  readonly source_count: number;
  readonly serves_at_most: number;
  readonly visits_needed: number | null;
  readonly window_days: number;
  readonly unserved_sources: number;
  readonly missing_numbers: number;
  readonly next_free_at: string | null;
  readonly advised_size: number | null;
  readonly warnings: readonly string[];
  readonly available: number;
  readonly active: number;
  readonly flagged: number;
  readonly last_pass_at: string | null;
  readonly next_pass_at: string | null;
  readonly failed_passes: number;
  readonly last_failure: string | null;
  readonly unattributed_visits: number;
  readonly is_frozen: boolean;
  readonly retiring: readonly RetiringCallTrackerJson[];
}

/** A call tracker whose number is being retired. */
export interface RetiringCallTrackerJson {
  readonly call_tracker_id: string;
  readonly tracking_number: string;
  readonly status: "available" | "active" | "flagged";
  readonly source: string | null;
  readonly medium: string | null;
  readonly immediately: boolean;
  readonly deleted_at: string | null;
  readonly reason: string;
}

/** The number to show in place of a pool's original number. */
export interface ResolvedNumberJson {
  readonly pool_id: string;
  readonly original_number: string;
  readonly number: string;
}

/** Where a call goes, and what it counts for. */
export interface CallResolutionJson {
  readonly tracking_number: string;
  readonly original_number: string;
  readonly account_token: string;
  readonly pool_id: string;
  readonly call_tracker_id: string;
  readonly source: string | null;
  readonly medium: string | null;
  readonly is_prompted: boolean;
  readonly is_recorded: boolean;
  readonly held_until: string | null;
}

/** A call as it is documented. */
export interface CallJson {
  readonly id: string;
  readonly account_token: string;
  readonly call_id: string;
  readonly tracking_number: string;
  readonly caller_number: string | null;
  readonly started_at: string;
  readonly answered_at: string | null;
  readonly ended_at: string | null;
  readonly duration_seconds: number | null;
  readonly outcome: "in_progress" | "answered" | "missed" | "busy" | "failed" | "voicemail";
  readonly recording_url: string | null;
  readonly pool_id: string;
  readonly call_tracker_id: string;
  readonly original_number: string;
  readonly property_token: string | null;
  readonly source: string | null;
  readonly medium: string | null;
  readonly tracker_status: "available" | "active" | "flagged" | "released";
  readonly is_first_call: boolean | null;
  readonly is_prompted: boolean;
  readonly is_recorded: boolean;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A row of a report of calls as it is documented. */
export interface CallReportRowJson {
  readonly source: string | null;
  readonly medium: string | null;
  readonly property_token: string | null;
  readonly pool_id: string | null;
  readonly tracking_number: string | null;
  readonly day: string | null;
  readonly hour: number | null;
  readonly calls: number;
  readonly answered: number;
  readonly missed: number;
  readonly first_calls: number;
  readonly total_seconds: number;
  readonly average_seconds: number | null;
  readonly visits: number | null;
  readonly calls_per_100_visits: number | null;
}

/** What became of calls that were to be recorded. */
export interface RecordedCallsJson {
  readonly created: number;
  readonly already_there: number;
  readonly refused: readonly {
    readonly index: number;
    readonly call_id: string | null;
    readonly reason: string;
    readonly message: string;
  }[];
}

/** The clock by which pools are managed. */
export interface ClockJson {
  readonly now: string;
  readonly is_virtual: boolean;
}

/** A number of the inventory as it is documented. */
export interface TrackingNumberJson {
  readonly phone_number: string;
  readonly area_code: string;
  readonly state: "free" | "resting" | "assigned" | "retiring" | "retired";
  readonly account_id: number | null;
  readonly pool_id: string | null;
  readonly call_tracker_id: string | null;
  readonly rests_until: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly retires_immediately: boolean;
}

/** What became of numbers that were to be added to the inventory. */
export interface AddedNumbersJson {
  readonly added: number;
  readonly already_there: number;
  readonly refused: readonly { readonly phone_number: string; readonly reason: string; readonly message: string }[];
}

/** How many numbers of an area code are in each state. */
export type NumberCountJson = Readonly<Record<TrackingNumberJson["state"], number>> & { readonly area_code: string };

/** What became of visits that were to be recorded. */
export interface RecordedVisitsJson {
  readonly recorded: number;
  readonly duplicates: number;
  readonly expired: number;
}

/** An API key as it is documented, without the key itself. */
export interface ApiKeyJson {
  readonly id: string;
  readonly prefix: string;
  readonly description: string | null;
  readonly scopes: readonly ("read" | "write" | "admin" | "dni" | "calls")[];
  readonly account_token: string | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
}

/** A new API key, with the key itself. */
export interface NewApiKeyJson {
  readonly api_key: ApiKeyJson;
  readonly key: string;
}

/** An entry of the audit log as it is documented. */
export interface AuditEntryJson {
  readonly id: string;
  readonly occurred_at: string;
  readonly actor: {
    readonly kind: "api_key" | "access_token" | "anonymous" | "operator";
    readonly id: string | null;
    readonly api_key_prefix: string | null;
    readonly issuer: string | null;
  };
  readonly method: string;
  readonly account_token: string | null;
  readonly resource_type: string;
  readonly resource_id: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

/** The documented fields of an account, in their order. */
export const ACCOUNT_FIELDS = ["id", "is_active", "account_token", "created_at", "updated_at"] as const;

/** The documented fields of a phone number, in their order. */
export const PHONE_NUMBER_FIELDS = [
  "id",
  "account_token",
  "phone_number",
  "description",
  "property_token",
  "created_at",
  "updated_at",
] as const;

/** The documented fields of a pool, in their order. */
export const POOL_FIELDS = [
  "id",
  "original_number_id",
  "account_token",
  "area_code",
  "description",
  "is_dni",
  "is_prompted",
  "is_recorded",
  "pool_type",
  "property_token",
  "size",
  "utilization",
  "created_at",
  "updated_at",
] as const;

/** The documented fields of a call tracker, in their order. */
export const CALL_TRACKER_FIELDS = [
  "id",
  "original_number",
  "original_number_id",
  "description",
  "tracking_number",
  "pool_id",
  "status",
  "source",
  "medium",
  "created_at",
  "dropped_at",
  "updated_at",
] as const;

/** The documented fields of a number of the inventory, in their order. */
export const TRACKING_NUMBER_FIELDS = [
  "phone_number",
  "area_code",
  "state",
  "account_id",
  "pool_id",
  "call_tracker_id",
  "rests_until",
  "created_at",
  "updated_at",
  "retires_immediately",
] as const;

/** One page of a list. */
export interface PageJson<T> {
  readonly entries: readonly T[];
  /** Empty if there are no more. */
  readonly nextPageToken: string;
}

/** The fields of a request by their documented names, path variables and all; no type of TypeScript keeps it from being wrong. */
export type RequestFields = Readonly<Record<string, unknown>>;

/** Sends the request of a method and gives what it answers. */
export type Call<T> = (request?: RequestFields) => Promise<T>;

/**
 * A client of the API over one protocol. What it gives is the same over every protocol: the documented JSON, or a rejection
 * with a `RefusedError`.
 */
export interface ApiClient {
  readonly createAccount: Call<AccountJson>;
  readonly getAccount: Call<AccountJson>;
  readonly listAccounts: Call<PageJson<AccountJson>>;
  /** Gives nothing, as over JSON there is nothing. */
  readonly updateAccount: Call<void>;
  readonly createPhoneNumber: Call<PhoneNumberJson>;
  readonly getPhoneNumber: Call<PhoneNumberJson>;
  readonly listPhoneNumbers: Call<PageJson<PhoneNumberJson>>;
  readonly createPool: Call<PoolJson>;
  readonly getPool: Call<PoolJson>;
  readonly listPools: Call<PageJson<PoolJson>>;
  readonly updatePool: Call<PoolJson>;
  readonly planPoolUpdate: Call<PoolPlanJson>;
  readonly explainPool: Call<PoolExplanationJson>;
  readonly listPoolHistory: Call<PageJson<CallTrackerChangeJson>>;
  readonly getCallTracker: Call<CallTrackerJson>;
  readonly listCallTrackers: Call<PageJson<CallTrackerJson>>;
  readonly updateCallTracker: Call<CallTrackerJson>;
  readonly flagCallTracker: Call<CallTrackerJson>;
  readonly resolveNumbers: Call<readonly ResolvedNumberJson[]>;
  readonly reportVisit: Call<object>;
  readonly resolveCall: Call<CallResolutionJson>;
  readonly createCall: Call<CallJson>;
  readonly batchCreateCalls: Call<RecordedCallsJson>;
  readonly getCall: Call<CallJson>;
  readonly listCalls: Call<PageJson<CallJson>>;
  readonly reportCalls: Call<readonly CallReportRowJson[]>;
  readonly updateCall: Call<CallJson>;
  readonly forgetCaller: Call<{ readonly calls: number }>;
  readonly getClock: Call<ClockJson>;
  /** `by` is a number of seconds, as ProtoJSON has it: `60s`. */
  readonly advanceClock: Call<ClockJson>;
  readonly addTrackingNumbers: Call<AddedNumbersJson>;
  readonly listTrackingNumbers: Call<PageJson<TrackingNumberJson>>;
  readonly countTrackingNumbers: Call<readonly NumberCountJson[]>;
  readonly retireTrackingNumber: Call<TrackingNumberJson>;
  readonly recordVisits: Call<RecordedVisitsJson>;
  readonly createApiKey: Call<NewApiKeyJson>;
  readonly getApiKey: Call<ApiKeyJson>;
  readonly listApiKeys: Call<PageJson<ApiKeyJson>>;
  readonly revokeApiKey: Call<ApiKeyJson>;
  readonly listAuditEntries: Call<PageJson<AuditEntryJson>>;
  /** The etag in the answer of a method that gives one resource: over JSON the header, over gRPC the field. */
  readonly etagFrom: (method: MethodName, request: RequestFields) => Promise<string>;
  close(): void;
}

/** The name of a method of the API. */
export type MethodName = Exclude<keyof ApiClient, "etagFrom" | "close">;
