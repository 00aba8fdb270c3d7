import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { RetryInfoSchema } from "@calltrack/domain/gen/google/rpc/error_details_pb";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { computeRetryDelayMs, findServiceRetryDelayMs } from "./retry-delay.js";

const away = new ConnectError("away", Code.Unavailable);

const withHeader = (seconds: string) => new ConnectError("busy", Code.ResourceExhausted, { "retry-after": seconds });

const withDetail = (ms: number) =>
  new ConnectError("busy", Code.Unavailable, { "retry-after": "9" }, [
    { desc: RetryInfoSchema, value: { retryDelay: durationFromMs(ms) } },
  ]);

/** Returns the longest of 1000 delays. The probability that it is less than half of the maximum delay is 2^-1000. */
function longestOf(error: ConnectError, tries: number): number {
  return Math.max(...Array.from({ length: 1000 }, () => computeRetryDelayMs(error, tries)));
}

describe("the delay before a retry", () => {
  test.each([
    [1, 250],
    [2, 500],
    [3, 1000],
    [6, 8000],
    [7, 10_000],
    [1000, 10_000],
  ])("after %i attempts is at most %i ms", (tries, limit) => {
    const longest = longestOf(away, tries);
    expect(longest).toBeLessThanOrEqual(limit);
    expect(longest).toBeGreaterThan(limit / 2);
  });

  test("is added to the delay that the service requests", () => {
    expect(computeRetryDelayMs(withDetail(3000), 1)).toBeGreaterThanOrEqual(3000);
    expect(longestOf(withDetail(3000), 1)).toBeLessThanOrEqual(3250);
  });
});

describe("the delay that the service requests", () => {
  test.each([
    ["no delay", away, undefined],
    ["Retry-After in seconds", withHeader("120"), 120_000],
    ["Retry-After of 0", withHeader("0"), 0],
    ["Retry-After as a date", withHeader("Wed, 21 Oct 2026 07:28:00 GMT"), undefined],
    ["a negative Retry-After", withHeader("-1"), undefined],
    ["RetryInfo, before Retry-After", withDetail(1500), 1500],
  ])("is read from %s", (_, error, ms) => {
    expect(findServiceRetryDelayMs(error)).toBe(ms);
  });
});
