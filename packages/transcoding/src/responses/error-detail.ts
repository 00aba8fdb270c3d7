import { create, createRegistry, type DescMessage, fromBinary, type Message } from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import type { ConnectError } from "@connectrpc/connect";
import { formatAnyJson } from "../encode/encode-any.js";
import { createMessageEncoder } from "../encode/encode-message.js";
import type { EncodeOptions } from "../encode/encode-options.js";
import { file_google_rpc_error_details } from "../gen/google/rpc/error_details_pb.js";

type Detail = ConnectError["details"][number];

/**
 * Creates the encoder that writes error details as a JSON array, each in the form of a `google.protobuf.Any`. The encoder follows the JSON options,
 * but always omits unset fields. It writes the bytes of a detail from another server in base64, if the detail's type is neither in
 * google/rpc/error_details.proto nor in the registry. It omits a detail that has no JSON form.
 */
export function createErrorDetailsEncoder({
  unset: _,
  ...options
}: EncodeOptions): (details: readonly Detail[]) => string {
  const registry = createRegistry(file_google_rpc_error_details, ...(options.registry ? [options.registry] : []));
  const json: EncodeOptions = { ...options, registry };
  const encodeMessage = (desc: DescMessage, message: Message) =>
    formatAnyJson(typeUrl(desc.typeName), desc, createMessageEncoder(desc, json)(message));
  const encode = (detail: Detail) => {
    if ("desc" in detail) return encodeMessage(detail.desc, create(detail.desc, detail.value));
    const desc = registry.getMessage(detail.type);
    return desc === undefined
      ? JSON.stringify({ "@type": typeUrl(detail.type), value: base64Encode(detail.value) })
      : encodeMessage(desc, fromBinary(desc, detail.value));
  };
  return (details) => `[${details.flatMap((detail) => attempt(() => encode(detail))).join()}]`;
}

function attempt(encode: () => string): readonly string[] {
  try {
    return [encode()];
  } catch {
    return [];
  }
}

function typeUrl(typeName: string): string {
  return `type.googleapis.com/${typeName}`;
}
