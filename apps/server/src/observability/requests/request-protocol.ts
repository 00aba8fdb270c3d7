import type { RequestRecord } from "./request-record.js";

/** The protocol of a request. */
export type RequestProtocol = "json" | "grpc" | "grpc-web" | "connect";

const GRPC = /^application\/grpc(-web)?/;

/** Returns the protocol of a request. The content type decides for a request that was not routed to a method. */
export function protocolOf({ call, request }: RequestRecord): RequestProtocol {
  if (call !== undefined) return call.protocolName === "transcoding" ? "json" : (call.protocolName as RequestProtocol);
  const [isGrpc, isWeb] = GRPC.exec(request.header("content-type") ?? "") ?? [];
  if (isGrpc === undefined) return "json";
  return isWeb === undefined ? "grpc" : "grpc-web";
}
