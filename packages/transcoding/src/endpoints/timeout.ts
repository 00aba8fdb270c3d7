import type { HttpRequest } from "../http/http-request.js";
import { RequestError } from "../http/request-error.js";

const SECONDS = /^\d{1,10}(?:\.\d{1,9})?$/;
// https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md#requests
const GRPC_TIMEOUT = /^(\d{1,8})([HMSmun])$/;
// https://connectrpc.com/docs/protocol#unary-request
const CONNECT_TIMEOUT = /^\d{1,10}$/;
const UNIT_MS: Record<string, number> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 };

/**
 * Returns the timeout of a request in milliseconds: the shorter one of the headers `X-Server-Timeout`, in seconds, and `grpc-timeout`. Undefined if
 * the request has neither. Throws a `RequestError` if a header is malformed.
 */
export function parseRequestTimeout(request: HttpRequest): number | undefined {
  const seconds = request.header("x-server-timeout");
  const grpcMs = parseGrpcTimeout(request.header("grpc-timeout"));
  if (seconds === undefined) return grpcMs;
  if (!SECONDS.test(seconds)) throw createServerTimeoutError();
  return Math.min(Number(seconds) * 1000, grpcMs ?? Number.POSITIVE_INFINITY);
}

export function createServerTimeoutError(): RequestError {
  return new RequestError("HEADER_MALFORMED", "X-Server-Timeout must be a number of seconds, such as 2.5");
}

/** Converts the header `grpc-timeout` to milliseconds. Undefined if the header is absent. Throws a `RequestError` if it is malformed. */
export function parseGrpcTimeout(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, amount, unit = ""] = GRPC_TIMEOUT.exec(text) ?? [];
  const unitMs = UNIT_MS[unit];
  if (unitMs !== undefined) return Number(amount) * unitMs;
  throw new RequestError("HEADER_MALFORMED", "grpc-timeout must be up to 8 digits and a unit, such as 2500m");
}

/** Parses the header `connect-timeout-ms`. Undefined if the header is absent. Throws a `RequestError` if it is malformed. */
export function parseConnectTimeout(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (CONNECT_TIMEOUT.test(text)) return Number(text);
  throw new RequestError("HEADER_MALFORMED", "connect-timeout-ms must be up to 10 digits, such as 2500");
}

/** Throws a `RequestError` if a client's timeout is longer than `maxTimeoutMs`. */
export function checkTimeoutLimit(timeoutMs: number | undefined, maxTimeoutMs: number): void {
  if (timeoutMs === undefined || timeoutMs <= maxTimeoutMs) return;
  throw new RequestError("HEADER_MALFORMED", `the timeout must be at most ${maxTimeoutMs / 1000} seconds`);
}
