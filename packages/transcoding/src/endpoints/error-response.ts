import type { DescMethod } from "@bufbuild/protobuf";
import type { EncodeOptions } from "../encode/encode-options.js";
import { ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.js";
import type { MutableHeaders, MutableResponse } from "../http/http-response.js";
import { appendHeaders } from "../http/response-headers.js";
import { createDetailsEncoder } from "../responses/error-detail.js";
import { createFailureReader, type ErrorListener, type Failure } from "../responses/failure.js";
import { codeToName } from "../responses/http-status.js";
import { findHttpResponse } from "../rules/http-response.js";
import { createWeakCache } from "../values/weak-cache.js";
import type { RpcContext } from "./rpc-context.js";

export interface ErrorOptions {
  /** `aip193`: `{"error": {…}}` with the HTTP status as code (AIP-193). `status`: a `google.rpc.Status`. Default: aip193. */
  readonly shape?: "aip193" | "status";
  /** Domain of the `google.rpc.ErrorInfo` that is added to errors without one. Default: empty. */
  readonly domain?: string;
}

export interface ErrorEncoder {
  /**
   * Creates the response to a request that failed before its response began. It includes the headers that handler and interceptors have
   * set. The `transcoding.v1.http` option of `method` may declare a status for the error.
   */
  encode(error: unknown, context?: RpcContext, method?: DescMethod): MutableResponse;
  /** Encodes the last record of a stream that failed after its response began: an object with the single key `error`. */
  encodeRecord(error: unknown, context: RpcContext): string;
}

/** Bodies of errors are always JSON, regardless of `Accept` (AIP-193). Their details follow the JSON options for messages. */
export function createErrorEncoder(
  options: ErrorOptions,
  onError: ErrorListener | undefined,
  json: EncodeOptions = {},
): ErrorEncoder {
  const bare = options.shape === "status";
  const toText = createErrorWriter(json, options.shape);
  const readFailure = createFailureReader(options.domain ?? "", onError);
  return {
    encode(error, context, method = context?.method) {
      const failure = withDeclaredStatus(readFailure(error, context), method);
      const headers: MutableHeaders = context?.copyHeaders() ?? {};
      if (context?.touchedTrailer !== undefined) appendHeaders(headers, context.touchedTrailer);
      appendHeaders(headers, failure.headers);
      headers["content-type"] = "application/json";
      const text = toText(failure);
      const body = bare ? text : `{"error":${text}}`;
      return { status: failure.httpStatus, headers, body, trailers: undefined };
    },
    encodeRecord: (error, context) => `{"error":${toText(readFailure(error, context))}}`,
  };
}

function withDeclaredStatus(failure: Failure, method: DescMethod | undefined): Failure {
  const httpStatus = method && findDeclaredStatus(method, failure.details);
  return httpStatus === undefined ? failure : { ...failure, httpStatus };
}

/** Creates the function that writes a failure as the `error` object of AIP-193, or as a `google.rpc.Status`. */
export function createErrorWriter(json: EncodeOptions, shape: ErrorOptions["shape"] = "aip193") {
  const encodeDetails = createDetailsEncoder(json);
  return ({ httpStatus, code, message, details }: Failure): string => {
    const status = shape === "status" ? { code, message } : { code: httpStatus, status: codeToName(code), message };
    return `${JSON.stringify(status).slice(0, -1)},"details":${encodeDetails(details)}}`;
  };
}

/** Finds the HTTP status that `transcoding.v1.http` declares for the reason in an error's `google.rpc.ErrorInfo`. */
function findDeclaredStatus(method: DescMethod, details: Failure["details"]): number | undefined {
  const statuses = getStatuses(method);
  if (statuses.size === 0) return undefined;
  for (const detail of details) {
    if (!("desc" in detail) || detail.desc.typeName !== ErrorInfoSchema.typeName) continue;
    return statuses.get((detail.value as { readonly reason?: string }).reason ?? "");
  }
  return undefined;
}

/** Returns the HTTP statuses that a method declares, by error reason. */
const getStatuses = createWeakCache((method: DescMethod): ReadonlyMap<string, number> => {
  const failures = findHttpResponse(method)?.failures ?? [];
  return new Map(failures.filter(({ status }) => status !== 0).map(({ reason, status }) => [reason, status]));
});
