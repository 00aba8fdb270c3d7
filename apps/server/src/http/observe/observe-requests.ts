import type { HandlerContext, Interceptor } from "@connectrpc/connect";
import { Code } from "@connectrpc/connect";
import { NOSNIFF } from "../../errors/nosniff.js";
import { type Outcome, outcomeOfStatus } from "../../observability/requests/outcome.js";
import { REQUEST_ID_HEADER } from "../../observability/requests/request-id.js";
import { protocolOf } from "../../observability/requests/request-protocol.js";
import { RequestRecord, recordOfCall, setRecord } from "../../observability/requests/request-record.js";
import type { RequestHandler } from "../request-handler.js";
import { NodeRequestExpiry } from "./node-request-expiry.js";
import type { RequestObserver } from "./request-observer.js";

/** Gives each request a record and its answer the headers of every answer, and tells the observer of it; for all that comes as a request. */
export function observeRequests(observer: RequestObserver, next: RequestHandler): RequestHandler {
  return (request, response) => {
    const record = new RequestRecord(request);
    setRecord(request, record);
    response.setHeader(...NOSNIFF);
    response.setHeader(REQUEST_ID_HEADER, record.id);
    response.on("close", () => observer.end(record, outcomeOf(record, response), response.statusCode));
    observer.begin(record, new NodeRequestExpiry(request, response));
    observer.serve(record, () => next(request, response));
  };
}

/** Passed by every call before anything of it is read. */
export function recordCall(context: HandlerContext): void {
  const record = recordOfCall(context.values);
  if (record !== undefined) record.call = context;
}

/** For calls of which the HTTP status does not tell whether they failed. */
export const recordAnswer: Interceptor = (next) => async (request) => {
  const response = await next(request);
  const record = recordOfCall(request.contextValues);
  if (record !== undefined) record.isAnswered = true;
  return response;
};

function outcomeOf(record: RequestRecord, response: Parameters<RequestHandler>[1]): Outcome {
  if (!response.writableEnded) return Code.Canceled;
  const outcome = record.failure ?? outcomeOfStatus(response.statusCode);
  // Where gRPC fails the HTTP status is 200 all the same, and the implementation may not have been reached.
  if (outcome === 0 && !record.isAnswered && protocolOf(record).startsWith("grpc")) return Code.Unknown;
  return outcome;
}
