import { Client, status as codes, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import type { MessageTypeDefinition, MethodDefinition, ServiceDefinition } from "@grpc/proto-loader";
import {
  ACCOUNT_FIELDS,
  type AccountJson,
  type ApiClient,
  type ApiKeyJson,
  type AuditEntryJson,
  CALL_TRACKER_FIELDS,
  type CallJson,
  type CallReportRowJson,
  type CallResolutionJson,
  type CallTrackerChangeJson,
  type CallTrackerJson,
  type ClockJson,
  type MethodName,
  type PageJson,
  PHONE_NUMBER_FIELDS,
  type PhoneNumberJson,
  POOL_FIELDS,
  type PoolExplanationJson,
  type PoolJson,
  type PoolPlanJson,
  type RecordedCallsJson,
  type RequestFields,
  type ResolvedNumberJson,
  type RetiringCallTrackerJson,
  type SourceExplanationJson,
  TRACKING_NUMBER_FIELDS,
  type TrackingNumberJson,
} from "./api-client.js";
import { readDetails } from "./error-shape.js";
import { loadProtos } from "./load-protos.js";
import { type ErrorDetail, RefusedError } from "./refusal.js";

/** A message as `@grpc/proto-loader` reads and writes it. */
export type GrpcMessage = Readonly<Record<string, unknown>>;

/** Gives the documented JSON of a message. */
type Reading<T> = (message: GrpcMessage) => T;

const api = loadProtos(
  [
    "account",
    "phone_number",
    "pool",
    "call_tracker",
    "inventory",
    "traffic",
    "dni",
    "call",
    "clock",
    "api_key",
    "audit",
  ].map((name) => `calltracking/v1/${name}.proto`),
  { defaults: true },
);

const errors = loadProtos(["google/rpc/status.proto", "google/rpc/error_details.proto"], { defaults: false });

const readAccount = readFields<AccountJson>(ACCOUNT_FIELDS);
const readPhoneNumber = readFields<PhoneNumberJson>(PHONE_NUMBER_FIELDS);
const readPool = readFields<PoolJson>(POOL_FIELDS);
const readTrackingNumber = readFields<TrackingNumberJson>(TRACKING_NUMBER_FIELDS);

const readCallTracker = readFields<CallTrackerJson>(CALL_TRACKER_FIELDS);
const readChange = readFields<CallTrackerChangeJson>(fieldsOf("CallTrackerChange"));
const readSource = readFields<SourceExplanationJson>(fieldsOf("SourceExplanation"));
const readRetiring = readFields<RetiringCallTrackerJson>(fieldsOf("RetiringCallTracker"));
const readResolution = readFields<CallResolutionJson>(fieldsOf("CallResolution"));
const readCall = readFields<CallJson>(fieldsOf("Call"));
const readReportRow = readFields<CallReportRowJson>(fieldsOf("CallReportRow"));
const readRefusedCall = readFields<RecordedCallsJson["refused"][number]>(fieldsOf("RefusedCall"));
const readApiKey = readFields<ApiKeyJson>(fieldsOf("ApiKey"));
const readClock = readFields<ClockJson>(fieldsOf("Clock"));

function readPlan(message: GrpcMessage): PoolPlanJson {
  const changes = (message.changes as readonly GrpcMessage[]).map(readChange);
  return { ...readFields<PoolPlanJson>(fieldsOf("PoolPlan"))(message), changes };
}

function readExplanation(message: GrpcMessage): PoolExplanationJson {
  const sources = (message.sources as readonly GrpcMessage[]).map(readSource);
  const retiring = (message.retiring as readonly GrpcMessage[]).map(readRetiring);
  return { ...readFields<PoolExplanationJson>(fieldsOf("PoolExplanation"))(message), sources, retiring };
}

function readAuditEntry(message: GrpcMessage): AuditEntryJson {
  const { actor, before, after } = message;
  return {
    ...readFields<AuditEntryJson>(fieldsOf("AuditEntry"))(message),
    actor: readFields<AuditEntryJson["actor"]>(fieldsOf("AuditActor"))(actor as GrpcMessage),
    before: readStruct(before as GrpcMessage | null),
    after: readStruct(after as GrpcMessage | null),
  };
}

/** The JSON of a `google.protobuf.Struct`. */
function readStruct(struct: GrpcMessage | null): Readonly<Record<string, unknown>> | null {
  if (struct === null) return null;
  const fields = Object.entries(struct.fields as Readonly<Record<string, GrpcMessage>>);
  return Object.fromEntries(fields.map(([name, value]) => [name, readValue(value)]));
}

function readValue(value: GrpcMessage): unknown {
  if ("listValue" in value)
    return (value.listValue as { readonly values: readonly GrpcMessage[] }).values.map(readValue);
  return value.stringValue ?? value.numberValue ?? value.boolValue ?? null;
}

/**
 * Creates a client that has nothing of this project but its proto files: that of `@grpc/grpc-js`.
 *
 * @param headers that every request is sent with.
 */
export function createGrpcClient(port: number, headers: Readonly<Record<string, string>> = {}): ApiClient {
  const client = createGrpcConnection(port);
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  const call =
    <T>(service: string, method: string, read: Reading<T>) =>
    async (request: RequestFields = {}) =>
      read(await callUnary(client, apiMethod(service, method), messageOf(request), { metadata }));
  const etagFrom = async (method: MethodName, request: RequestFields) => {
    const message = await callUnary(client, findMethod(method), messageOf(request), { metadata });
    return message.etag as string;
  };
  return {
    createAccount: call("AccountService", "CreateAccount", readAccount),
    getAccount: call("AccountService", "GetAccount", readAccount),
    listAccounts: call("AccountService", "ListAccounts", readPage("accounts", readAccount)),
    updateAccount: call("AccountService", "UpdateAccount", () => {}),
    createPhoneNumber: call("PhoneNumberService", "CreatePhoneNumber", readPhoneNumber),
    getPhoneNumber: call("PhoneNumberService", "GetPhoneNumber", readPhoneNumber),
    listPhoneNumbers: call("PhoneNumberService", "ListPhoneNumbers", readPage("phone_numbers", readPhoneNumber)),
    createPool: call("PoolService", "CreatePool", readPool),
    getPool: call("PoolService", "GetPool", readPool),
    listPools: call("PoolService", "ListPools", readPage("pools", readPool)),
    updatePool: call("PoolService", "UpdatePool", readPool),
    planPoolUpdate: call("PoolService", "PlanPoolUpdate", readPlan),
    explainPool: call("PoolService", "ExplainPool", readExplanation),
    listPoolHistory: call("PoolService", "ListPoolHistory", readPage("changes", readChange)),
    getCallTracker: call("CallTrackerService", "GetCallTracker", readCallTracker),
    listCallTrackers: call("CallTrackerService", "ListCallTrackers", readPage("call_trackers", readCallTracker)),
    updateCallTracker: call("CallTrackerService", "UpdateCallTracker", readCallTracker),
    flagCallTracker: call("CallTrackerService", "FlagCallTracker", readCallTracker),
    resolveNumbers: call("DniService", "ResolveNumbers", ({ numbers }) => numbers as readonly ResolvedNumberJson[]),
    reportVisit: call("DniService", "ReportVisit", () => ({})),
    resolveCall: call("DniService", "ResolveCall", readResolution),
    createCall: call("CallService", "CreateCall", readCall),
    batchCreateCalls: call("CallService", "BatchCreateCalls", ({ created, already_there, refused }) => ({
      created: Number(created),
      already_there: Number(already_there),
      refused: (refused as readonly GrpcMessage[]).map(readRefusedCall),
    })),
    getCall: call("CallService", "GetCall", readCall),
    listCalls: call("CallService", "ListCalls", readPage("calls", readCall)),
    reportCalls: call("CallService", "ReportCalls", ({ rows }) => (rows as readonly GrpcMessage[]).map(readReportRow)),
    updateCall: call("CallService", "UpdateCall", readCall),
    forgetCaller: call("CallService", "ForgetCaller", (message) => message as never),
    getClock: call("ClockService", "GetClock", readClock),
    advanceClock: call("ClockService", "AdvanceClock", readClock),
    addTrackingNumbers: call("InventoryService", "AddTrackingNumbers", (message) => message as never),
    listTrackingNumbers: call(
      "InventoryService",
      "ListTrackingNumbers",
      readPage("tracking_numbers", readTrackingNumber),
    ),
    countTrackingNumbers: call("InventoryService", "CountTrackingNumbers", ({ counts }) => counts as never),
    retireTrackingNumber: call("InventoryService", "RetireTrackingNumber", readTrackingNumber),
    recordVisits: call("TrafficService", "RecordVisits", (message) => message as never),
    createApiKey: call("ApiKeyService", "CreateApiKey", ({ api_key, key }) => ({
      api_key: readApiKey(api_key as GrpcMessage),
      key: String(key),
    })),
    getApiKey: call("ApiKeyService", "GetApiKey", readApiKey),
    listApiKeys: call("ApiKeyService", "ListApiKeys", readPage("api_keys", readApiKey)),
    revokeApiKey: call("ApiKeyService", "RevokeApiKey", readApiKey),
    listAuditEntries: call("AuditService", "ListAuditEntries", readPage("audit_entries", readAuditEntry)),
    etagFrom,
    close: () => client.close(),
  };
}

/** Opens a connection to a server on this machine. */
export function createGrpcConnection(port: number): Client {
  return new Client(`127.0.0.1:${port}`, credentials.createInsecure());
}

/** The definition of a method of calltracking.v1. */
export function apiMethod(service: string, method: string): MethodDefinition<object, object> {
  const definition = (api[`calltracking.v1.${service}`] as ServiceDefinition)[method];
  if (definition === undefined) throw new Error(`no method ${service}.${method}`);
  return definition;
}

/** The definition of the method of calltracking.v1 that a client calls by this name. */
function findMethod(name: MethodName): MethodDefinition<object, object> {
  const definitions = Object.values(api).flatMap((each) => Object.values(each as ServiceDefinition));
  const path = new RegExp(`/${name}$`, "i");
  return definitions.find((definition) => path.test(definition.path)) as MethodDefinition<object, object>;
}

/**
 * Calls a unary method.
 *
 * @throws RefusedError with what the error's google.rpc.Status says; grpc-js's own error if there is none.
 */
export function callUnary(
  client: Client,
  method: MethodDefinition<object, object>,
  request: GrpcMessage,
  { metadata = new Metadata() }: { readonly metadata?: Metadata } = {},
): Promise<GrpcMessage> {
  const { path, requestSerialize, responseDeserialize } = method;
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, metadata, (error, answer) =>
      error === null ? resolve(answer as GrpcMessage) : reject(readError(error)),
    );
  });
}

/** The prefixes of the values of enums, by the fields that hold them. */
const ENUM_PREFIXES = {
  pool_type: "POOL_TYPE_",
  state: "TRACKING_NUMBER_STATE_",
  status: "CALL_TRACKER_STATUS_",
  outcome: "CALL_OUTCOME_",
} as const;

/** The message of a request with the fields that the documented JSON has. */
export function messageOf(request: RequestFields): GrpcMessage {
  const message = { ...request };
  if (typeof message.by === "string") message.by = { seconds: message.by.replace("s", "") };
  for (const [name, prefix] of Object.entries(ENUM_PREFIXES)) {
    const value = message[name];
    if (typeof value === "string") message[name] = prefix + value.toUpperCase();
  }
  if (Array.isArray(message.visits)) message.visits = message.visits.map(visitMessageOf);
  if (Array.isArray(message.scopes))
    message.scopes = message.scopes.map((scope) => `API_KEY_SCOPE_${scope}`.toUpperCase());
  if (Array.isArray(message.calls)) message.calls = message.calls.map(messageOf);
  if (Array.isArray(message.group_by))
    message.group_by = message.group_by.map((grouping) => `CALL_GROUPING_${grouping}`.toUpperCase());
  for (const name of TIMES) {
    const value = message[name];
    if (typeof value === "string") message[name] = timestampOf(value);
  }
  return message;
}

/** The fields of requests that are times. */
const TIMES = ["expires_at", "since", "until", "started_at", "answered_at", "ended_at", "from", "to", "at"];

function visitMessageOf(visit: RequestFields): GrpcMessage {
  if (typeof visit.occurred_at !== "string") return visit;
  return { ...visit, occurred_at: timestampOf(visit.occurred_at) };
}

function timestampOf(text: string): GrpcMessage {
  const time = Date.parse(text);
  const seconds = Math.floor(time / 1000);
  return { seconds, nanos: (time - seconds * 1000) * 1e6 };
}

const ENUM_VALUE =
  /^(?:CALL_TRACKER_STATUS|CALL_TRACKER_CHANGE_KIND|TRACKING_NUMBER_STATE|API_KEY_SCOPE|AUDIT_ACTOR_KIND|AUDIT_RESOURCE_TYPE|CALL_OUTCOME|TRACKER_STATUS)_(\w+)$/;

/** The names of the fields of a message of calltracking.v1 that JSON has, in their order. */
function fieldsOf(message: string): readonly string[] {
  const { type } = api[`calltracking.v1.${message}`] as MessageTypeDefinition<object, object>;
  const { field } = type as { readonly field: readonly { readonly name: string }[] };
  return field.map(({ name }) => name).filter((name) => name !== "etag");
}

function readFields<T>(names: readonly string[]): Reading<T> {
  return (message) => Object.fromEntries(names.map((name) => [name, readField(name, message[name])])) as T;
}

function readField(name: string, value: unknown): unknown {
  if (value === undefined) return null;
  if (name === "scopes") return (value as readonly unknown[]).map((scope) => readField("scope", scope));
  if (name === "pool_type") return value === "POOL_TYPE_MANUAL" ? "manual" : "automanaged";
  const enumValue = typeof value === "string" ? ENUM_VALUE.exec(value)?.[1] : undefined;
  if (enumValue !== undefined) return enumValue.toLowerCase();
  if (value === null || !/^now$|_(?:at|until)$/.test(name)) return value;
  const { seconds, nanos } = value as { readonly seconds: number; readonly nanos: number };
  return new Date(seconds * 1000 + nanos / 1e6).toISOString();
}

function readPage<T>(name: string, read: Reading<T>): Reading<PageJson<T>> {
  return (message) => ({
    entries: ((message[name] ?? []) as readonly GrpcMessage[]).map(read),
    nextPageToken: message.next_page_token as string,
  });
}

/** The error's trailer `grpc-status-details-bin` holds a google.rpc.Status, which must say what the error says. */
function readError(error: ServiceError): Error {
  const [bytes] = error.metadata.get("grpc-status-details-bin");
  if (!(bytes instanceof Buffer)) return error;
  const { code, message, details } = deserializeError("google.rpc.Status", bytes);
  if (code !== error.code || message !== error.details) {
    return new Error(`${error.message}, but its google.rpc.Status says ${code} ${message}`);
  }
  const packed = (details ?? []) as readonly { readonly type_url: string; readonly value: Buffer }[];
  return new RefusedError(readDetails(codes[error.code] ?? "", error.details, packed.map(readDetail)));
}

/** The details of a google.rpc.Status, as JSON. */
export function readStatusDetails(bytes: Buffer): ErrorDetail[] {
  const { details } = deserializeError("google.rpc.Status", bytes);
  return ((details ?? []) as readonly { readonly type_url: string; readonly value: Buffer }[]).map(readDetail);
}

/** The JSON of a `google.protobuf.Any` that holds a detail of google.rpc. */
export function readDetail({ type_url, value }: { readonly type_url: string; readonly value: Buffer }): ErrorDetail {
  return { "@type": type_url, ...deserializeError(type_url.replace("type.googleapis.com/", ""), value) };
}

function deserializeError(typeName: string, bytes: Buffer): GrpcMessage {
  return (errors[typeName] as MessageTypeDefinition<object, object>).deserialize(bytes) as GrpcMessage;
}
