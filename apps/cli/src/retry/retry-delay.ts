import { durationMs } from "@bufbuild/protobuf/wkt";
import { RetryInfoSchema } from "@calltrack/domain/gen/google/rpc/error_details_pb";
import type { ConnectError } from "@connectrpc/connect";

/** The longest pause before the first further try, and before any, in milliseconds. */
const FIRST_MS = 250;
const LONGEST_MS = 10_000;

/**
 * How long to wait before a request is sent again, in milliseconds: exponential backoff with full jitter, after the time that the
 * service asks for, if it does.
 *
 * @param tries how often it was sent so far.
 */
export function retryDelay(error: ConnectError, tries: number): number {
  return (askedDelay(error) ?? 0) + Math.random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** (tries - 1));
}

/**
 * How long the service asks clients to wait, in milliseconds, by `google.rpc.RetryInfo` or by `Retry-After` in seconds (RFC 9110
 * section 10.2.3); undefined if it does not.
 */
export function askedDelay(error: ConnectError): number | undefined {
  const [info] = error.findDetails(RetryInfoSchema);
  if (info?.retryDelay !== undefined) return durationMs(info.retryDelay);
  const seconds = error.metadata.get("retry-after");
  return seconds !== null && /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1000 : undefined;
}
