import type { DescMethod } from "@bufbuild/protobuf";
import type { OpenApiOperation } from "@calltrack/transcoding/openapi";
import { type Client, status as codes, Metadata, type ServiceError } from "@grpc/grpc-js";
import { readConfig } from "../config/config.js";
import { createApiDocument } from "../pages/api-document.js";
import type { RequestFields } from "./api-client.js";
import { apiMethod, messageOf } from "./grpc-client.js";

/** The outcome of an RPC. */
export interface CallOutcome {
  /** `OK`, or the name of the error code. */
  readonly status: string;
  /** Over JSON, the body; over gRPC, the error message, or empty. */
  readonly text: string;
}

type Headers = Readonly<Record<string, string>>;

const { paths } = createApiDocument(readConfig({}));

/** The first JSON path of each method, by the method's name. */
const endpoints = new Map(
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, OpenApiOperation>).map(
      ([verb, { operationId }]) => [operationId, { verb: verb.toUpperCase(), path }] as const,
    ),
  ),
);

/** Returns a method's first JSON path with its HTTP method; undefined if it has none. */
export function findEndpoint(method: DescMethod): { readonly verb: string; readonly path: string } | undefined {
  return endpoints.get(method.localName);
}

/** Calls a method over its first JSON path. Returns undefined if the method has none. */
export async function callJson(
  baseUrl: string,
  method: DescMethod,
  request: RequestFields,
  headers: Headers,
): Promise<CallOutcome | undefined> {
  const endpoint = findEndpoint(method);
  if (endpoint === undefined) return undefined;
  const { verb, path } = endpoint;
  const rest = { ...request };
  const target = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    delete rest[name];
    return encodeURIComponent(String(request[name]));
  });
  const query = verb === "GET" ? `?${new URLSearchParams(rest as Record<string, string>)}` : "";
  const hasBody = verb !== "GET" && Object.keys(rest).length > 0;
  const response = await fetch(`${baseUrl}${target}${query}`, {
    method: verb,
    headers: hasBody ? { ...headers, "content-type": "application/json" } : headers,
    ...(hasBody && { body: JSON.stringify(rest) }),
  });
  const text = await response.text();
  return { status: response.ok ? "OK" : JSON.parse(text).error.status, text };
}

/** Calls a method over gRPC. A request stream has one message. */
export function callGrpc(
  client: Client,
  method: DescMethod,
  request: RequestFields,
  headers: Headers,
): Promise<CallOutcome> {
  const definition = apiMethod(method.parent.name, method.name);
  const { path, requestSerialize, responseDeserialize } = definition;
  const metadata = Metadata.fromHttp2Headers(headers);
  const message = messageOf(definition, request);
  return new Promise((resolve) => {
    const end = (error: ServiceError | null) =>
      resolve(error === null ? { status: "OK", text: "" } : { status: codes[error.code] ?? "", text: error.details });
    const parameters = [path, requestSerialize, responseDeserialize] as const;
    if (method.methodKind === "client_streaming") {
      client.makeClientStreamRequest(...parameters, metadata, end).end(message);
    } else if (method.methodKind === "server_streaming") {
      const stream = client.makeServerStreamRequest(...parameters, message, metadata);
      stream
        .on("error", end)
        .on("end", () => end(null))
        .resume();
    } else {
      client.makeUnaryRequest(...parameters, message, metadata, end);
    }
  });
}
