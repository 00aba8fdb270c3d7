import { DomainError } from "@calltrack/domain";
import { ErrorInfoSchema } from "@calltrack/domain/gen/google/rpc/error_details_pb";
import { Code, ConnectError } from "@connectrpc/connect";
import { PrebuiltError } from "./prebuilt-error.js";
import { createConnectError, ERROR_DOMAIN, RETRY_AFTER_S } from "./wire-error.js";

/** The reason in the error response to a request that the HTTP server rejects. */
export type HttpErrorReason = keyof typeof HTTP_ERRORS_BY_REASON;

export function createOverloadError(): ConnectError {
  return createConnectError(new DomainError("OVERLOADED", { retryAfterS: RETRY_AFTER_S }));
}

export const DEADLINE_EXCEEDED_ERROR = new PrebuiltError(() =>
  createConnectError(new DomainError("DEADLINE_EXCEEDED", {})),
);

/** The response to a request whose handler threw an error outside of the implementation of an RPC. */
export const INTERNAL_ERROR = new PrebuiltError(() => createConnectError(new DomainError("INTERNAL", {})));

/** The error responses to requests that the HTTP server rejects. */
export const HTTP_ERRORS_BY_REASON = {
  HEADERS_TOO_LARGE: createHttpError(
    431,
    Code.InvalidArgument,
    "HEADERS_TOO_LARGE",
    "the URL and headers together are too large: send fewer or shorter headers",
  ),
  HOST_MALFORMED: createHttpError(
    400,
    Code.InvalidArgument,
    "HOST_MALFORMED",
    "the Host header is missing, malformed or repeated: send one Host header with the host and port",
  ),
  HOST_UNKNOWN: createHttpError(
    421,
    Code.FailedPrecondition,
    "HOST_UNKNOWN",
    "the host in the request is unknown, and a server without authentication accepts only known hosts: send the request to localhost, or " +
      "add the host to the setting PUBLIC_HOSTS",
    421,
  ),
  CROSS_SITE_REQUEST: createHttpError(
    403,
    Code.PermissionDenied,
    "CROSS_SITE_REQUEST",
    "a web page of another origin must not send this request: send it from a page of this server or without a browser, or authenticate " +
      "callers with keys or tokens (setting AUTH)",
  ),
  PATH_MALFORMED: createHttpError(
    400,
    Code.InvalidArgument,
    "PATH_MALFORMED",
    "the request target is malformed: send a path that starts with a slash, or an http or https URL without a user name",
  ),
  REQUEST_MALFORMED: createHttpError(
    400,
    Code.InvalidArgument,
    "REQUEST_MALFORMED",
    "the request is not valid HTTP/1.1: check its request line, headers and chunks",
  ),
  TLS_REQUIRED: createHttpError(
    400,
    Code.FailedPrecondition,
    "TLS_REQUIRED",
    "this port requires TLS: use https:// instead of http://, or for gRPC a channel with TLS",
  ),
  TLS_UNSUPPORTED: createHttpError(
    400,
    Code.FailedPrecondition,
    "TLS_UNSUPPORTED",
    "this port does not use TLS: use http:// instead of https://",
  ),
  REQUEST_TIMEOUT: createHttpError(
    408,
    Code.DeadlineExceeded,
    "REQUEST_TIMEOUT",
    "the request took too long to arrive: send it faster, or send less",
  ),
  METHOD_NOT_ALLOWED: createHttpError(
    405,
    Code.Unimplemented,
    "METHOD_NOT_ALLOWED",
    "the CONNECT method is not allowed: this server is not a proxy",
    undefined,
    { allow: "DELETE, GET, HEAD, OPTIONS, POST, PUT" },
  ),
  EXPECTATION_UNSUPPORTED: createHttpError(
    417,
    Code.InvalidArgument,
    "EXPECTATION_UNSUPPORTED",
    "the Expect header must be 100-continue: send this value, or remove the header",
  ),
  /** Pending request bodies exceed their memory limit, or the limit on concurrent requests or open streams is reached. */
  OVERLOADED: new PrebuiltError(createOverloadError),
};

/**
 * Creates an error response whose HTTP status is not the one that belongs to its RPC code.
 *
 * @param unaryStatus the HTTP status of the response to a unary Connect RPC. Default: the status that belongs to `code`.
 * @param headers additional response headers.
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
