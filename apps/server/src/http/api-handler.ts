import type { HttpHandler, HttpHeaders, HttpResponse } from "@calltrack/transcoding";
import type { RequestState } from "../observability/requests/request-state.js";
import type { RecordHandler } from "./observe-requests.js";

/**
 * Creates the handler of the API over all protocols. It records the status of gRPC calls, which the HTTP status does not show, and
 * keeps caches from storing responses, except of public paths and of methods that allow it.
 *
 * @param rpc serves the paths of RPCs.
 * @param json serves all other paths; unknown ones with 404.
 */
export function createApiHandler(
  rpc: HttpHandler,
  json: HttpHandler,
  isPublic: (target: string) => boolean,
): RecordHandler {
  return (record) => {
    const { request } = record;
    // Caches store no responses of gRPC.
    if (!record.protocol.startsWith("grpc") && !isPublic(request.target))
      request.addHeader("cache-control", "no-store");
    const response = rpc.handle(request) ?? (json.handle(request) as Promise<HttpResponse>);
    return response.then((given) =>
      request.send(record.protocol.startsWith("grpc") ? recordStatus(record, given) : given),
    );
  };
}

/** Records the status in the headers of a gRPC response, or in its trailers when they are sent. */
function recordStatus(record: RequestState, response: HttpResponse): HttpResponse {
  const { trailers } = response;
  record.outcome = statusIn(response.headers);
  if (trailers === undefined) return response;
  const recordedTrailers = () => {
    const fields = trailers();
    record.outcome = statusIn(fields) ?? record.outcome;
    return fields;
  };
  return { ...response, trailers: recordedTrailers };
}

function statusIn(fields: HttpHeaders): number | undefined {
  const status = fields["grpc-status"];
  return status === undefined ? undefined : Number(status);
}
