import { DomainError } from "@calltrack/domain";
import { ErrorInfoSchema } from "@calltrack/domain/gen/google/rpc/error_details_pb";
import { Code, ConnectError } from "@connectrpc/connect";
import { PrebuiltError } from "./prebuilt-error.js";
import { connectErrorOf, ERROR_DOMAIN, RETRY_AFTER_S } from "./wire-error.js";

/** Reasons for which the HTTP server refuses a request. */
export type RefusalReason = keyof typeof HTTP_ERRORS;

/** Creates the error of a request that an overloaded server rejects. */
export function createOverloadError(): ConnectError {
  return connectErrorOf(new DomainError("OVERLOADED", { retryAfterS: RETRY_AFTER_S }));
}

/** The response to a request that exceeded its deadline. */
export const DEADLINE_EXCEEDED = new PrebuiltError(() => connectErrorOf(new DomainError("DEADLINE_EXCEEDED", {})));

/** The response to a request that failed outside of the service's own code. */
export const INTERNAL = new PrebuiltError(() => connectErrorOf(new DomainError("INTERNAL", {})));

/** The responses to requests that the HTTP server refuses, by the reason. */
export const HTTP_ERRORS = {
  HEADERS_TOO_LARGE: createHttpError(
    431,
    Code.InvalidArgument,
    "HEADERS_TOO_LARGE",
    "the URL and headers together are too large: send fewer or shorter headers",
  ),
  /** The host is missing, malformed or repeated. */
  HOST_MALFORMED: createHttpError(
    400,
    Code.InvalidArgument,
    "HOST_MALFORMED",
    "the Host header is missing, malformed or repeated: send one Host header with the host and port",
  ),
  /** The host is not one of this server. */
  HOST_UNKNOWN: createHttpError(
    421,
    Code.FailedPrecondition,
    "HOST_UNKNOWN",
    "the host of the request is unknown, and without authentication the server answers only hosts that it knows: use localhost, or " +
      "add the host to the setting PUBLIC_HOSTS",
    421,
  ),
  /** A page of another origin sent it. */
  CROSS_SITE_REQUEST: createHttpError(
    403,
    Code.PermissionDenied,
    "CROSS_SITE_REQUEST",
    "a web page of another origin must not send this request: send it from a page of this server or without a browser, or authenticate " +
      "callers with keys or tokens (setting AUTH)",
  ),
  /** The target is neither a path nor an http or https URL. */
  PATH_MALFORMED: createHttpError(
    400,
    Code.InvalidArgument,
    "PATH_MALFORMED",
    "the request target is malformed: send a path that starts with a slash, or an http or https URL without a user name",
  ),
  /** Not valid HTTP/1.1. */
  REQUEST_MALFORMED: createHttpError(
    400,
    Code.InvalidArgument,
    "REQUEST_MALFORMED",
    "the request is not valid HTTP/1.1: check its request line, headers and chunks",
  ),
  /** HTTP without TLS on a port with TLS. */
  TLS_REQUIRED: createHttpError(
    400,
    Code.FailedPrecondition,
    "TLS_REQUIRED",
    "this port serves only TLS: use https:// in place of http://, or over gRPC a channel with TLS",
  ),
  /** TLS on a port without TLS. */
  TLS_UNSUPPORTED: createHttpError(
    400,
    Code.FailedPrecondition,
    "TLS_UNSUPPORTED",
    "this port serves HTTP without TLS: use http:// in place of https://",
  ),
  /** The request took too long to arrive. */
  REQUEST_TIMEOUT: createHttpError(
    408,
    Code.DeadlineExceeded,
    "REQUEST_TIMEOUT",
    "the request took too long to arrive: send it faster, or send less",
  ),
  /** CONNECT. */
  METHOD_NOT_ALLOWED: createHttpError(
    405,
    Code.Unimplemented,
    "METHOD_NOT_ALLOWED",
    "the CONNECT method is not allowed: this server is not a proxy",
    undefined,
    { allow: "GET, HEAD, OPTIONS, POST, PUT" },
  ),
  EXPECTATION_UNSUPPORTED: createHttpError(
    417,
    Code.InvalidArgument,
    "EXPECTATION_UNSUPPORTED",
    "the Expect header must be 100-continue",
  ),
  /** Buffered request bodies exceed their memory limit, or the concurrency limit is reached. */
  OVERLOADED: new PrebuiltError(createOverloadError),
};

/**
 * Creates a prebuilt error with its HTTP status, and that of unary RPCs of Connect if it is not the status of the code.
 *
 * @param headers further headers of the response.
 */
export function createHttpError(
  httpStatus: number,
  code: Code,
  reason: string,
  message: string,
  unaryStatus?: number,
  headers?: Readonly<Record<string, string>>,
): PrebuiltError {
  const details = [{ desc: ErrorInfoSchema, value: { reason, domain: ERROR_DOMAIN } }];
  return new PrebuiltError(() => new ConnectError(message, code, headers, details), httpStatus, unaryStatus);
}
