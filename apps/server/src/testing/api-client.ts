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
  readonly addTrackingNumbers: Call<AddedNumbersJson>;
  readonly listTrackingNumbers: Call<PageJson<TrackingNumberJson>>;
  readonly countTrackingNumbers: Call<readonly NumberCountJson[]>;
  readonly retireTrackingNumber: Call<TrackingNumberJson>;
  readonly recordVisits: Call<RecordedVisitsJson>;
  close(): void;
}

/** The name of a method of the API. */
export type MethodName = Exclude<keyof ApiClient, "close">;
