import { durationMs } from "@bufbuild/protobuf/wkt";
import { RetryInfoSchema } from "@calltrack/domain/gen/google/rpc/error_details_pb";
import type { ConnectError } from "@connectrpc/connect";

/** Maximum delay before the first retry. It doubles with each further retry, up to `MAX_DELAY_MS`. */
const INITIAL_DELAY_MS = 250;
const MAX_DELAY_MS = 10_000;

/**
 * Returns the delay before a retry, in milliseconds: exponential backoff with full jitter, added to the delay that the service requests.
 *
 * @param tries number of attempts so far.
 */
export function computeRetryDelayMs(error: ConnectError, tries: number): number {
  return (
    (findServiceRetryDelayMs(error) ?? 0) + Math.random() * Math.min(MAX_DELAY_MS, INITIAL_DELAY_MS * 2 ** (tries - 1))
  );
}

/**
 * Returns the delay that the service requests, in milliseconds; undefined if it requests none. Reads `google.rpc.RetryInfo` or the
 * `Retry-After` header in seconds (RFC 9110 section 10.2.3).
 */
export function findServiceRetryDelayMs(error: ConnectError): number | undefined {
  const [info] = error.findDetails(RetryInfoSchema);
  if (info?.retryDelay !== undefined) return durationMs(info.retryDelay);
  const seconds = error.metadata.get("retry-after");
  return seconds !== null && /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1000 : undefined;
}
