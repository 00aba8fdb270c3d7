import type { Exchange, HttpHeaders } from "@calltrack/http";
import type { HttpResponse } from "@calltrack/transcoding";
import { protocolOf } from "../observability/requests/request-protocol.js";
import type { RequestRecord } from "../observability/requests/request-record.js";

const NO_TRAILERS: HttpHeaders = Object.freeze({});

/**
 * Sends the response of a JSON path or an RPC, and records the status of a gRPC call.
 *
 * @returns a promise for a response that is a stream; it rejects if the stream fails.
 * @throws TypeError for headers that cannot be sent, with nothing sent.
 */
export function sendResponse(record: RequestRecord, response: HttpResponse): Promise<void> | undefined {
  const { exchange } = record;
  const { status, headers, ownHeaders, body } = response;
  const isGrpc = protocolOf(record).startsWith("grpc");
  const trailers = isGrpc ? recordedTrailers(record, response) : response.trailers;
  if (ownHeaders !== undefined) addHeaders(exchange, ownHeaders);
  if (typeof body === "object" && Symbol.asyncIterator in body) return exchange.stream(status, headers, body, trailers);
  // Passing trailers, even empty ones, keeps HTTP/2 from adding headers that gRPC responses do not have.
  exchange.respond(status, headers, body, isGrpc && trailers === undefined ? NO_TRAILERS : trailers?.());
  return undefined;
}

function addHeaders(exchange: Exchange, headers: HttpHeaders): void {
  for (const name in headers) {
    const value = headers[name] as string | readonly string[];
    if (typeof value === "string") exchange.addHeader(name, value);
    else for (const each of value) exchange.addHeader(name, each);
  }
}

/** Returns the trailers of a gRPC response, and records the status when they are sent. Without trailers, the headers have the status. */
function recordedTrailers(record: RequestRecord, { headers, trailers }: HttpResponse): HttpResponse["trailers"] {
  recordStatus(record, headers);
  if (trailers === undefined) return undefined;
  return () => {
    const fields = trailers();
    recordStatus(record, fields);
    return fields;
  };
}

function recordStatus(record: RequestRecord, fields: HttpHeaders): void {
  const status = fields["grpc-status"];
  if (status !== undefined) record.outcome = Number(status);
}
