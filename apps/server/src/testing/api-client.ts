import type { Message, MessageShape } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { ApiMethods } from "@calltrack/domain";

/** The name of a unary API method. */
export type MethodName = Exclude<
  keyof ApiMethods,
  "exportPools" | "exportCalls" | "importTrackingNumbers" | "watchEvents"
>;

type Response<M extends MethodName> = MessageShape<ApiMethods[M]["output"]>;

type SnakeCase<S extends string> = S extends `${infer Before}100${infer After}`
  ? `${SnakeCase<Before>}_100${SnakeCase<After>}`
  : S extends `${infer Head}${infer Tail}`
    ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${SnakeCase<Tail>}`
    : "";

/** Message fields that every response has, although protobuf allows them to be absent. */
type Present =
  | "createdAt"
  | "updatedAt"
  | "startedAt"
  | "occurredAt"
  | "now"
  | "plannedUntil"
  | "actor"
  | "apiKey"
  | "phoneSystem"
  | "webhookEndpoint"
  | "maxAge";

/** The documented JSON of a message: names in snake_case, no etag, and null for absent fields. */
export type DocumentedJson<M> = {
  readonly [K in Exclude<keyof M & string, "$typeName" | "$unknown" | "etag"> as SnakeCase<K>]-?:
    | DocumentedJsonValue<Exclude<M[K], undefined>>
    | (Record<never, never> extends Pick<M, K> ? (K extends Present ? never : null) : never);
};

type DocumentedJsonValue<T> = T extends Timestamp
  ? string
  : T extends bigint
    ? number
    : T extends number
      ? // An enum extends number; its JSON is the name of the value.
        `${number}` extends `${T}`
        ? number
        : string
      : T extends readonly (infer E)[]
        ? readonly DocumentedJsonValue<E>[]
        : T extends Message
          ? DocumentedJson<T>
          : T;

export type AccountJson = DocumentedJson<Response<"getAccount">>;
export type PoolJson = DocumentedJson<Response<"getPool">>;
export type CallTrackerJson = DocumentedJson<Response<"getCallTracker">>;
export type CallJson = DocumentedJson<Response<"getCall">>;
export type CallReportRowJson = DocumentedJson<Response<"reportCalls">["rows"][number]>;
export type CallTrackerChangeJson = DocumentedJson<Response<"planPoolUpdate">["changes"][number]>;
export type PoolPlanJson = DocumentedJson<Response<"planPoolUpdate">>;
export type NewApiKeyJson = DocumentedJson<Response<"createApiKey">>;
export type AuditEntryJson = DocumentedJson<Response<"listAuditEntries">["auditEntries"][number]>;

/** An event. Its resource is in a field named after the kind of the resource. */
export type EventJson = Omit<DocumentedJson<Response<"listEvents">["events"][number]>, "resource"> &
  Readonly<Record<string, unknown>>;

/** The documented fields of an account, in their order. */
export const ACCOUNT_FIELDS = ["id", "is_active", "account_token", "created_at", "updated_at"] as const;

/** The fields of a phone number, in the order of the documentation. */
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

export interface PageJson<T> {
  readonly entries: readonly T[];
  /** Empty on the last page. */
  readonly nextPageToken: string;
}

type Entry<L> = { [K in keyof L]-?: L[K] extends readonly (infer E extends Message)[] ? E : never }[keyof L];

/** The documented JSON of a method's response: the message, a page of a list, or the field that is the JSON body. */
type Answer<M extends MethodName> = M extends "updateAccount"
  ? undefined
  : M extends "resolveNumbers" | "countTrackingNumbers" | "reportCalls"
    ? readonly DocumentedJson<Entry<Response<M>>>[]
    : M extends "listEvents"
      ? { readonly entries: readonly EventJson[]; readonly nextCursor: string }
      : Response<M> extends { readonly nextPageToken: string }
        ? PageJson<DocumentedJson<Entry<Response<M>>>>
        : DocumentedJson<Response<M>>;

/** The fields of a request, including path variables, keyed by their documented names. Untyped, so that tests can send invalid requests. */
export type RequestFields = Readonly<Record<string, unknown>>;

/**
 * A client for the API over one protocol. Over every protocol, an RPC resolves to the documented JSON or rejects with a
 * `RefusedError`. Durations are seconds in the format of ProtoJSON, such as `60s`.
 */
export type ApiClient = {
  readonly [M in MethodName]: (request?: RequestFields) => Promise<Answer<M>>;
} & {
  /** Returns the etag of a resource: over JSON the ETag header, over gRPC the `etag` field. */
  readonly etagFrom: (method: MethodName, request: RequestFields) => Promise<string>;
  close(): void;
};
