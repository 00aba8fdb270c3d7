import {
  create,
  createRegistry,
  type DescMessage,
  fromBinary,
  type JsonObject,
  type JsonValue,
  type Message,
  type Registry,
  toJson,
} from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import type { ConnectError } from "@connectrpc/connect";
import { file_google_rpc_error_details } from "../gen/google/rpc/error_details_pb.js";

type Detail = ConnectError["details"][number];

const ERROR_DETAILS = createRegistry(file_google_rpc_error_details);

/**
 * The details of an error in the JSON form of `google.protobuf.Any`, with proto field names. A detail that came over the
 * wire and is none of google/rpc/error_details.proto keeps its bytes, in base64; one that has no JSON form is left out.
 */
export function detailsToJson(details: readonly Detail[]): JsonObject[] {
  const registry = createRegistry(
    ERROR_DETAILS,
    ...details.flatMap((detail) => ("desc" in detail ? [detail.desc] : [])),
  );
  return details.flatMap((detail) => {
    try {
      return [detailToJson(detail, registry)];
    } catch {
      return [];
    }
  });
}

function detailToJson(detail: Detail, registry: Registry): JsonObject {
  if ("desc" in detail) return messageToAny(detail.desc, create(detail.desc, detail.value), registry);
  const desc = registry.getMessage(detail.type);
  return desc === undefined
    ? { "@type": typeUrl(detail.type), value: base64Encode(detail.value) }
    : messageToAny(desc, fromBinary(desc, detail.value), registry);
}

function messageToAny(desc: DescMessage, message: Message, registry: Registry): JsonObject {
  const json: JsonValue = toJson(desc, message, { useProtoFieldName: true, registry });
  const isObject = typeof json === "object" && json !== null && !Array.isArray(json);
  // Messages with a JSON form of their own, such as Duration, are wrapped in `value`: https://protobuf.dev/programming-guides/json/#any
  return isObject && !isWellKnown(desc)
    ? { "@type": typeUrl(desc.typeName), ...json }
    : { "@type": typeUrl(desc.typeName), value: json };
}

function isWellKnown(desc: DescMessage): boolean {
  return desc.typeName === "google.protobuf.Struct" || desc.typeName === "google.protobuf.Any";
}

function typeUrl(typeName: string): string {
  return `type.googleapis.com/${typeName}`;
}
