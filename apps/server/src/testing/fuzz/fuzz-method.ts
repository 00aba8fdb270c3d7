import { type DescMethod, fromBinary, fromJson, type JsonObject, toBinary, toJson } from "@bufbuild/protobuf";
import { API_SERVICES, type ApiMethods } from "@calltrack/domain";
import { INFRASTRUCTURE_SERVICES } from "../../observability/grpc-services/infrastructure-services.js";
import type { RequestFields } from "../api-client.js";
import { createGrpcMessage, getApiMethodDefinition } from "../grpc-client.js";
import { findEndpoint } from "../json-client.js";
import { type SampleAccount, sampleRequests } from "../sample-requests.js";

/** A method with a valid request for it. */
export interface FuzzMethod {
  readonly method: DescMethod;
  /** The service and method, such as `calltracking.v1.PoolService/GetPool`. */
  readonly name: string;
  readonly binary: Uint8Array;
  readonly json: JsonObject;
  /** The method's first JSON path with the fields of the request; undefined if it has no JSON path. */
  readonly path: { readonly verb: string; readonly template: string; readonly fields: RequestFields } | undefined;
}

/** Valid requests for health checks and reflection, keyed by the method name. */
const TOOL_REQUESTS: Readonly<Record<string, JsonObject>> = {
  check: { service: "calltracking.v1.PoolService" },
  watch: { service: "" },
  list: {},
  serverReflectionInfo: { host: "localhost", fileContainingSymbol: "calltracking.v1.Pool" },
};

export function listFuzzMethods(account: SampleAccount): readonly FuzzMethod[] {
  return [
    ...API_SERVICES.flatMap(({ methods }) => methods.map((method) => apiFuzzMethod(method, account))),
    ...INFRASTRUCTURE_SERVICES.flatMap(({ methods }) => methods.map((method) => toolFuzzMethod(method))),
  ];
}

function apiFuzzMethod(method: DescMethod, account: SampleAccount): FuzzMethod {
  const fields = sampleRequests[method.localName as keyof ApiMethods](account);
  const definition = getApiMethodDefinition(method.parent.name, method.name);
  const binary = definition.requestSerialize(createGrpcMessage(definition, fields));
  const json = toJson(method.input, fromBinary(method.input, binary)) as JsonObject;
  const [verb, template] = findEndpoint(method.localName) ?? [];
  const path = verb && template ? { verb, template, fields } : undefined;
  return { method, name: nameOf(method), binary, json, path };
}

function toolFuzzMethod(method: DescMethod): FuzzMethod {
  const json = TOOL_REQUESTS[method.localName] as JsonObject;
  return {
    method,
    name: nameOf(method),
    binary: toBinary(method.input, fromJson(method.input, json)),
    json,
    path: undefined,
  };
}

function nameOf({ parent, name }: DescMethod): string {
  return `${parent.typeName}/${name}`;
}
