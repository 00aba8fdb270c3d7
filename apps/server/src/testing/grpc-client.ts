import { globSync } from "node:fs";
import { Client, status as codes, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import type { MessageTypeDefinition, MethodDefinition, ServiceDefinition } from "@grpc/proto-loader";
import type { ApiClient, MethodName, RequestFields } from "./api-client.js";
import { readErrorDetails } from "./error-shape.js";
import { loadProtos, PROTO_FOLDER } from "./load-protos.js";
import { type ErrorDetail, RefusedError } from "./refusal.js";

/** A message in the format of `@grpc/proto-loader`. */
export type GrpcMessage = Readonly<Record<string, unknown>>;

interface FieldDescriptor {
  readonly name: string;
  readonly type: string;
  readonly typeName: string;
  readonly label: string;
  readonly oneofIndex?: number;
}

const api = loadProtos(globSync("calltracking/v1/*.proto", { cwd: PROTO_FOLDER }), { defaults: true });

const errors = loadProtos(["google/rpc/status.proto", "google/rpc/error_details.proto"], { defaults: false });

/** The methods whose JSON body is only one field of the gRPC response, and the name of that field. */
const BODY_FIELDS: Readonly<Record<string, string>> = {
  resolveNumbers: "numbers",
  countTrackingNumbers: "counts",
  reportCalls: "rows",
};

function readStruct(struct: GrpcMessage): GrpcMessage {
  const fields = Object.entries(struct.fields as Readonly<Record<string, GrpcMessage>>);
  return Object.fromEntries(fields.map(([name, value]) => [name, readValue(value)]));
}

function readValue(value: GrpcMessage): unknown {
  if ("listValue" in value)
    return (value.listValue as { readonly values: readonly GrpcMessage[] }).values.map(readValue);
  if ("structValue" in value) return readStruct(value.structValue as GrpcMessage);
  return value.stringValue ?? value.numberValue ?? value.boolValue ?? null;
}

/** Creates a client with `@grpc/grpc-js` from the proto files alone, without generated code. It sends `headers` with every request. */
export function createGrpcClient(port: number, headers: Readonly<Record<string, string>> = {}): ApiClient {
  const client = createGrpcConnection(port);
  const send = (method: MethodDefinition<object, object>, request: RequestFields) =>
    callUnary(client, method, createGrpcMessage(method, request), headers);
  const methods = Object.entries(api)
    .filter(([name]) => name.endsWith("Service"))
    .flatMap(([, service]) => Object.values(service as ServiceDefinition));
  const call =
    (method: MethodDefinition<object, object>) =>
    async (request: RequestFields = {}) =>
      readAnswer(method, await send(method, request));
  return {
    ...(Object.fromEntries(methods.map((method) => [method.originalName, call(method)])) as unknown as ApiClient),
    etagFrom: async (name: MethodName, request) => {
      const method = methods.find(({ originalName }) => originalName === name);
      return (await send(method as MethodDefinition<object, object>, request)).etag as string;
    },
    close: () => client.close(),
  };
}

/** Converts a gRPC response to the result that the client from `createJsonClient` returns for the same method. */
function readAnswer({ originalName = "", responseType }: MethodDefinition<object, object>, message: GrpcMessage) {
  if (originalName === "updateAccount") return undefined;
  const answer = readMessage(responseType as MessageTypeDefinition<object, object>, message);
  const bodyField = BODY_FIELDS[originalName];
  if (bodyField !== undefined) return answer[bodyField];
  if (!originalName.startsWith("list")) return answer;
  const { next_page_token: nextPageToken, next_cursor: nextCursor, ...lists } = answer;
  if (originalName === "listEvents") return { entries: Object.values(lists)[0], nextCursor };
  return { entries: Object.values(lists)[0], nextPageToken };
}

export function createGrpcConnection(port: number): Client {
  return new Client(`127.0.0.1:${port}`, credentials.createInsecure());
}

/**
 * Returns the definition of a method in the proto package calltracking.v1.
 *
 * @throws Error if the service has no such method.
 */
export function getApiMethodDefinition(service: string, method: string): MethodDefinition<object, object> {
  const definition = (api[`calltracking.v1.${service}`] as ServiceDefinition)[method];
  if (definition === undefined) throw new Error(`no method ${service}.${method}`);
  return definition;
}

/**
 * Sends a unary request and resolves with the response message.
 *
 * @throws RefusedError with the content of the error's google.rpc.Status. If the error has no google.rpc.Status, the error of grpc-js.
 */
export function callUnary(
  client: Client,
  method: MethodDefinition<object, object>,
  request: GrpcMessage,
  headers: Readonly<Record<string, string>> = {},
): Promise<GrpcMessage> {
  const { path, requestSerialize, responseDeserialize } = method;
  const metadata = Metadata.fromHttp2Headers(headers);
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, metadata, (error, answer) =>
      error === null ? resolve(answer as GrpcMessage) : reject(readError(error)),
    );
  });
}

/** Converts the JSON of a request, as the OpenAPI document describes it, to a message. Unknown fields and values stay unchanged. */
export function createGrpcMessage(
  { requestType }: MethodDefinition<object, object>,
  request: RequestFields,
): GrpcMessage {
  return writeMessage(requestType as MessageTypeDefinition<object, object>, request);
}

function writeMessage(type: MessageTypeDefinition<object, object>, json: RequestFields): GrpcMessage {
  const fields = fieldsOf(type);
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => {
      const field = fields.find((each) => each.name === name);
      if (field === undefined) return [name, value];
      return [name, Array.isArray(value) ? value.map((each) => writeField(field, each)) : writeField(field, value)];
    }),
  );
}

function writeField({ type, typeName }: FieldDescriptor, value: unknown): unknown {
  if (typeof value === "string") {
    const prefix = enumPrefix(typeName);
    if (type === "TYPE_ENUM") return value.startsWith(prefix) ? value : prefix + value.toUpperCase();
    if (typeName === "google.protobuf.Duration") return { seconds: value.replace("s", "") };
    if (typeName === "google.protobuf.Timestamp") return timestampOf(value);
  }
  const isMessage = type === "TYPE_MESSAGE" && typeof value === "object" && value !== null;
  return isMessage ? writeMessage(messageType(typeName), value as RequestFields) : value;
}

function timestampOf(text: string): GrpcMessage {
  const time = Date.parse(text);
  const seconds = Math.floor(time / 1000);
  return { seconds, nanos: (time - seconds * 1000) * 1e6 };
}

/** Converts a message of calltracking.v1 to the JSON that the OpenAPI document describes. */
function readMessage(type: MessageTypeDefinition<object, object>, message: GrpcMessage): GrpcMessage {
  const { oneofDecl } = type.type as { readonly oneofDecl: readonly { readonly name: string }[] };
  // The API's JSON contains only the set member of a oneof. An optional field is different: protobuf declares a oneof for it alone, whose name begins
  // with an underscore.
  const isLeftOut = ({ name, oneofIndex = -1 }: FieldDescriptor) =>
    oneofDecl[oneofIndex]?.name.startsWith("_") === false && (message[name] ?? null) === null;
  const fields = fieldsOf(type).filter((field) => field.name !== "etag" && !isLeftOut(field));
  return Object.fromEntries(
    fields.map((field) => {
      const value = message[field.name];
      const isList = field.label === "LABEL_REPEATED";
      return [
        field.name,
        isList ? (value as unknown[]).map((each) => readField(field, each)) : readField(field, value),
      ];
    }),
  );
}

function readField({ type, typeName }: FieldDescriptor, value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (type === "TYPE_ENUM") return String(value).replace(enumPrefix(typeName), "").toLowerCase();
  if (type !== "TYPE_MESSAGE") return value;
  if (typeName === "google.protobuf.Struct") return readStruct(value as GrpcMessage);
  if (typeName === "google.protobuf.Duration") return `${(value as { readonly seconds: number }).seconds}s`;
  if (typeName !== "google.protobuf.Timestamp") return readMessage(messageType(typeName), value as GrpcMessage);
  const { seconds, nanos } = value as { readonly seconds: number; readonly nanos: number };
  return new Date(seconds * 1000 + nanos / 1e6).toISOString();
}

function fieldsOf({ type }: MessageTypeDefinition<object, object>): readonly FieldDescriptor[] {
  return (type as { readonly field: readonly FieldDescriptor[] }).field;
}

function messageType(name: string): MessageTypeDefinition<object, object> {
  return api[`calltracking.v1.${name}`] as MessageTypeDefinition<object, object>;
}

/** Returns the prefix of the value names of an enum, such as `POOL_TYPE_` for `PoolType`. */
function enumPrefix(typeName: string): string {
  return `${typeName.replace(/(?<=.)[A-Z]/g, "_$&").toUpperCase()}_`;
}

/**
 * Converts an error to a RefusedError. The google.rpc.Status in `grpc-status-details-bin` must match the error's code and message. An error without
 * this metadata stays unchanged.
 */
function readError(error: ServiceError): Error {
  const [bytes] = error.metadata.get("grpc-status-details-bin");
  if (!(bytes instanceof Buffer)) return error;
  const { code, message } = deserializeError("google.rpc.Status", bytes);
  if (code !== error.code || message !== error.details) {
    return new Error(`${error.message}, but its google.rpc.Status says ${code} ${message}`);
  }
  return new RefusedError(readErrorDetails(codes[error.code] ?? "", error.details, readStatusDetails(bytes)));
}

export function readStatusDetails(bytes: Buffer): ErrorDetail[] {
  const { details } = deserializeError("google.rpc.Status", bytes);
  return ((details ?? []) as readonly { readonly type_url: string; readonly value: Buffer }[]).map(readDetail);
}

export interface ConnectErrorJson {
  readonly code: string;
  readonly message?: string;
  readonly details?: readonly { readonly type: string; readonly value: string }[];
}

export function readConnectDetails({ details = [] }: Pick<ConnectErrorJson, "details">): ErrorDetail[] {
  return details.map(({ type, value }) =>
    readDetail({ type_url: `type.googleapis.com/${type}`, value: Buffer.from(value, "base64") }),
  );
}

/** Returns the JSON of an error detail in a `google.protobuf.Any`. */
function readDetail({ type_url, value }: { readonly type_url: string; readonly value: Buffer }): ErrorDetail {
  return { "@type": type_url, ...deserializeError(type_url.replace("type.googleapis.com/", ""), value) };
}

function deserializeError(typeName: string, bytes: Buffer): GrpcMessage {
  return (errors[typeName] as MessageTypeDefinition<object, object>).deserialize(bytes) as GrpcMessage;
}
