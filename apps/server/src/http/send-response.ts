import type { HttpHeaders, HttpResponse } from "@calltrack/transcoding";
import { protocolOf } from "../observability/requests/request-protocol.js";
import type { RequestRecord } from "../observability/requests/request-record.js";

/**
 * Sends the response of a JSON path or an RPC, and records the status of a gRPC call.
 *
 * @returns a promise for a response that is a stream; it rejects if the stream fails.
 * @throws TypeError for headers that cannot be sent, with nothing sent.
 */
export function sendResponse(record: RequestRecord, response: HttpResponse): Promise<void> | undefined {
  const isGrpc = protocolOf(record).startsWith("grpc");
  return record.request.send(isGrpc ? { ...response, trailers: recordedTrailers(record, response) } : response);
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
