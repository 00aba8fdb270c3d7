import { describe, expect, test } from "vitest";
import { computeRetryWaitMs, parseRetryAfterMs, RETRY_SPAN_MS } from "./retry-schedule.js";

const HOUR_MS = 3_600_000;

describe("computeRetryWaitMs", () => {
  test("waits as Standard Webhooks recommends, and gives up after ten attempts", () => {
    const waits = Array.from({ length: 11 }, (_, attempts) => computeRetryWaitMs(attempts, 0, 0.5));
    expect(waits.map((ms) => ms && ms / 1000)).toEqual([
      ...[0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400],
      undefined,
    ]);
    expect(RETRY_SPAN_MS / HOUR_MS).toBeCloseTo(75.58, 2);
  });

  test("varies each wait by up to a tenth", () => {
    expect([computeRetryWaitMs(2, 0, 0), computeRetryWaitMs(2, 0, 1)]).toEqual([270_000, 330_000]);
  });

  test("waits at least as long as the receiver asks, but not after the last attempt", () => {
    expect(computeRetryWaitMs(1, HOUR_MS, 0.5)).toBe(HOUR_MS);
    expect(computeRetryWaitMs(5, 1000, 0.5)).toBe(5 * HOUR_MS);
    expect(computeRetryWaitMs(10, HOUR_MS, 0.5)).toBeUndefined();
  });
});

describe("parseRetryAfterMs", () => {
  const now = new Date("2026-11-20T12:00:00Z");

  test.each([
    ["120", 120_000],
    ["Fri, 20 Nov 2026 12:01:00 GMT", 60_000],
    ["0", 0],
    ["-5", 0],
    ["1.5", 0],
    ["soon", 0],
    ["Fri, 20 Nov 2026 11:00:00 GMT", 0],
    ["999999999", 24 * HOUR_MS],
    ["9999999999999999999", 0],
    ["", 0],
    [undefined, 0],
  ])("%j", (header, expected) => {
    expect(parseRetryAfterMs(header, now)).toBe(expected);
  });
});
