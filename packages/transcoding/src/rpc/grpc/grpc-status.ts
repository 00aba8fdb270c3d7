import { create, toBinary } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { type ConnectError, encodeBinaryHeader } from "@connectrpc/connect";
import { StatusSchema } from "../../gen/google/rpc/status_pb.js";
import type { Failure } from "../../responses/failure.js";
import { appendHeaders } from "../../responses/response-headers.js";
import type { ResponseHeaders } from "../../transcoder-response.js";

/** All that gRPC has percent-encoded in a message: what is not printable ASCII, and the percent sign. */
const ENCODED = /[^\x20-\x24\x26-\x7e]+/g;

/** Adds the status of a call that failed, its message and its details, to the trailers. */
export function addFailure(trailers: ResponseHeaders, { code, message, details, headers }: Failure): void {
  appendHeaders(trailers, headers);
  trailers["grpc-status"] = String(code);
  trailers["grpc-message"] = message.toWellFormed().replace(ENCODED, encodeURIComponent);
  const status = create(StatusSchema, { code, message: message.toWellFormed(), details: details.map(packDetail) });
  trailers["grpc-status-details-bin"] = encodeBinaryHeader(toBinary(StatusSchema, status));
}

function packDetail(detail: ConnectError["details"][number]) {
  return "desc" in detail
    ? anyPack(detail.desc, create(detail.desc, detail.value))
    : { typeUrl: `type.googleapis.com/${detail.type}`, value: detail.value };
}
