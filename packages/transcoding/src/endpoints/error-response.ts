import type { DescMethod } from "@bufbuild/protobuf";
import type { EncodeOptions } from "../encode/encode-options.js";
import { ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.js";
import type { MutableHeaders, MutableResponse } from "../http/http-response.js";
import { appendHeaders } from "../http/response-headers.js";
import { createErrorDetailsEncoder } from "../responses/error-detail.js";
import { createFailureConverter, type ErrorListener, type RpcFailure } from "../responses/failure.js";
import { codeToName } from "../responses/http-status.js";
import { findHttpResponseOption } from "../rules/http-response-option.js";
import { createWeakCache } from "../values/weak-cache.js";
import type { RpcContext } from "./rpc-context.js";

export interface ErrorBodyOptions {
  /** The format of error bodies. `aip193`: `{"error": {…}}` with the HTTP status as code. `status`: a `google.rpc.Status`. Default: `aip193`. */
  readonly shape?: "aip193" | "status";
  /** The domain of the `google.rpc.ErrorInfo` that is added to errors without an ErrorInfo. Default: empty. */
  readonly domain?: string;
}

export interface ErrorResponseEncoder {
  /**
   * Creates the response to a request that failed before its response began. The response has the headers that the handler and interceptors have set.
   * If the `transcoding.v1.http` option of `method` declares an HTTP status for the error, the response has this status.
   */
  encode(error: unknown, context?: RpcContext, method?: DescMethod): MutableResponse;
  /** Encodes the error of a stream that failed after its response began, as the last record: a JSON object with the single key `error`. */
  encodeRecord(error: unknown, context: RpcContext): string;
}

/**
 * Creates the encoder for error responses. The bodies are always JSON, regardless of `Accept` (AIP-193). The error details are written with the JSON
 * options, but always omit unset fields.
 */
export function createErrorResponseEncoder(
  options: ErrorBodyOptions,
  onError: ErrorListener | undefined,
  json: EncodeOptions = {},
): ErrorResponseEncoder {
  const bare = options.shape === "status";
  const toText = createFailureEncoder(json, options.shape);
  const readFailure = createFailureConverter(options.domain ?? "", onError);
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

function withDeclaredStatus(failure: RpcFailure, method: DescMethod | undefined): RpcFailure {
  const httpStatus = method && findDeclaredStatus(method, failure.details);
  return httpStatus === undefined ? failure : { ...failure, httpStatus };
}

/** Creates the function that encodes a failure as JSON: as the `error` object of AIP-193, or as a `google.rpc.Status`. */
export function createFailureEncoder(json: EncodeOptions, shape: ErrorBodyOptions["shape"] = "aip193") {
  const encodeDetails = createErrorDetailsEncoder(json);
  return ({ httpStatus, code, message, details }: RpcFailure): string => {
    const status = shape === "status" ? { code, message } : { code: httpStatus, status: codeToName(code), message };
    return `${JSON.stringify(status).slice(0, -1)},"details":${encodeDetails(details)}}`;
  };
}

/** Finds the HTTP status that a method's `transcoding.v1.http` option declares for the reason in an error's `google.rpc.ErrorInfo`. */
function findDeclaredStatus(method: DescMethod, details: RpcFailure["details"]): number | undefined {
  const statuses = getStatuses(method);
  if (statuses.size === 0) return undefined;
  for (const detail of details) {
    if (!("desc" in detail) || detail.desc.typeName !== ErrorInfoSchema.typeName) continue;
    return statuses.get((detail.value as { readonly reason?: string }).reason ?? "");
  }
  return undefined;
}

/** Returns the HTTP statuses that a method's `transcoding.v1.http` option declares, keyed by error reason. */
const getStatuses = createWeakCache((method: DescMethod): ReadonlyMap<string, number> => {
  const failures = findHttpResponseOption(method)?.failures ?? [];
  return new Map(failures.filter(({ status }) => status !== 0).map(({ reason, status }) => [reason, status]));
});
