import type { RequestRecord } from "./request-record.js";

/** What a request speaks. */
export type RequestProtocol = "json" | "grpc" | "grpc-web" | "connect";

const GRPC = /^application\/grpc(-web)?/;

/** What a request speaks: of a call it is known, of what is no call its content type tells. */
export function protocolOf({ call, headers }: RequestRecord): RequestProtocol {
  if (call !== undefined) return call.protocolName === "transcoding" ? "json" : (call.protocolName as RequestProtocol);
  const [isGrpc, isWeb] = GRPC.exec(headers["content-type"] ?? "") ?? [];
  if (isGrpc === undefined) return "json";
  return isWeb === undefined ? "grpc" : "grpc-web";
}
