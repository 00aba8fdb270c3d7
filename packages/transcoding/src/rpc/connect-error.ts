import { create, type DescMessage, type JsonValue, type Message, toBinary, toJson } from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import { Code, type ConnectError } from "@connectrpc/connect";
import type { Failure } from "../responses/failure.js";
import { codeToName } from "../responses/http-status.js";

/** Encodes an error as JSON: https://connectrpc.com/docs/protocol#error-end-stream */
export function encodeConnectError({ code, message, details }: Failure): string {
  // Connect spells it "canceled", google/rpc/code.proto "CANCELLED".
  const name = code === Code.Canceled ? "canceled" : codeToName(code).toLowerCase();
  return JSON.stringify({ code: name, message: message || undefined, details: details.map(detailToJson) });
}

function detailToJson(detail: ConnectError["details"][number]) {
  if (!("desc" in detail)) return { ...detail, value: base64Encode(detail.value, "std_raw") };
  const { desc } = detail;
  const message = create(desc, detail.value);
  return {
    type: desc.typeName,
    value: base64Encode(toBinary(desc, message), "std_raw"),
    debug: readable(desc, message),
  };
}

/** Returns the detail as JSON for debugging; undefined if it has no JSON form. */
function readable(desc: DescMessage, message: Message): JsonValue | undefined {
  try {
    return toJson(desc, message);
  } catch {
    return undefined;
  }
}
