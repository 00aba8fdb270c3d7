import type { DescMethod } from "@bufbuild/protobuf";
import { type Client, status as codes, Metadata, type ServiceError } from "@grpc/grpc-js";
import type { RequestFields } from "./api-client.js";
import { createGrpcMessage, getApiMethodDefinition } from "./grpc-client.js";
import { findEndpoint, sendJson } from "./json-client.js";

export interface CallOutcome {
  /** `OK`, or the name of the error code. */
  readonly status: string;
  /** Over JSON, the body. Over gRPC, the error message; empty on success. */
  readonly text: string;
}

type Headers = Readonly<Record<string, string>>;

/** Sends a request to the first JSON path of a method. Returns undefined if the method has no JSON path. */
export async function callJson(
  baseUrl: string,
  method: DescMethod,
  request: RequestFields,
  headers: Headers,
): Promise<CallOutcome | undefined> {
  const endpoint = findEndpoint(method.localName);
  if (endpoint === undefined) return undefined;
  const { status, text } = await sendJson(baseUrl, endpoint, request, headers);
  return { status: status < 300 ? "OK" : JSON.parse(text).error.status, text };
}

/** Calls a method over gRPC. A request stream contains one message. */
export function callGrpc(
  client: Client,
  method: DescMethod,
  request: RequestFields,
  headers: Headers,
): Promise<CallOutcome> {
  const definition = getApiMethodDefinition(method.parent.name, method.name);
  const { path, requestSerialize, responseDeserialize } = definition;
  const metadata = Metadata.fromHttp2Headers(headers);
  const message = createGrpcMessage(definition, request);
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
        .on("data", () => {
          if (method.name !== "WatchEvents") return;
          // A WatchEvents stream never ends, so its first message counts as success.
          end(null);
          stream.cancel();
        });
    } else {
      client.makeUnaryRequest(...parameters, message, metadata, end);
    }
  });
}
