import { create, toBinary } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { type ConnectError, encodeBinaryHeader } from "@connectrpc/connect";
import { StatusSchema } from "../../gen/google/rpc/status_pb.js";
import type { Failure } from "../../responses/failure.js";

/** All that gRPC has percent-encoded in a message: what is not printable ASCII, and the percent sign. */
const ENCODED = /[^\x20-\x24\x26-\x7e]+/g;

/** The fields that tell the status of a call that failed, its message and its details: names and values in turn. */
export function createStatusFields({ code, message, details }: Failure): readonly string[] {
  const status = create(StatusSchema, { code, message, details: details.map(packDetail) });
  return [
    "grpc-status",
    String(code),
    "grpc-message",
    message.replace(ENCODED, encodeURIComponent),
    "grpc-status-details-bin",
    encodeBinaryHeader(toBinary(StatusSchema, status)),
  ];
}

function packDetail(detail: ConnectError["details"][number]) {
  return "desc" in detail
    ? anyPack(detail.desc, create(detail.desc, detail.value))
    : { typeUrl: `type.googleapis.com/${detail.type}`, value: detail.value };
}
