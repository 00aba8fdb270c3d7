import { expect, test } from "vitest";
import { RateLimiter } from "./rate-limiter.js";

test("allows the quota at once, and then as it refills", () => {
  const limiter = new RateLimiter({ quota: 3, windowMs: 1000 });
  expect([0, 0, 0].map((now) => limiter.take("a", now).remaining)).toEqual([2, 1, 0]);
  const refused = limiter.take("a", 100);
  expect(refused.isAllowed).toBe(false);
  expect(refused.waitMs).toBeCloseTo(1000 / 3 - 100);
  expect(limiter.take("b", 100)).toMatchObject({ isAllowed: true, remaining: 2 });
  expect(limiter.take("a", 334).isAllowed).toBe(true);
  expect(limiter.take("a", 334).isAllowed).toBe(false);
  expect(limiter.take("a", 10_000)).toMatchObject({ isAllowed: true, remaining: 2 });
});

test("does not count a request on peek", () => {
  const limiter = new RateLimiter({ quota: 1, windowMs: 1000 });
  for (let turn = 0; turn < 3; turn++) expect(limiter.peek("a", 0).isAllowed).toBe(true);
  expect(limiter.take("a", 0).isAllowed).toBe(true);
  expect(limiter.peek("a", 0).isAllowed).toBe(false);
});

test.each([1, 7, 10, 999, 100_000])("allows exactly %i requests a minute despite rounding", (quota) => {
  const limiter = new RateLimiter({ quota, windowMs: 60_000 });
  let allowed = 0;
  for (let turn = 0; turn < quota + 5; turn++) if (limiter.take("a", 12_345.678).isAllowed) allowed++;
  expect(allowed).toBe(quota);
});

test("bounds the number of keys, and keeps recent ones", () => {
  const limiter = new RateLimiter({ quota: 1, windowMs: 1_000_000 });
  for (let key = 0; key < 120_000; key++) limiter.take(String(key), 0);
  expect(limiter.take("119999", 0).isAllowed).toBe(false);
  expect(limiter.take("0", 0).isAllowed).toBe(true);
});

test("is idle once the last bucket is full", () => {
  const limiter = new RateLimiter({ quota: 10, windowMs: 1000 });
  expect(limiter.isIdle(0)).toBe(true);
  for (let turn = 0; turn < 5; turn++) limiter.take("a", 0);
  limiter.take("b", 0);
  expect([0, 100, 499, 500].map((now) => limiter.isIdle(now))).toEqual([false, false, false, true]);
});

test("does not count rejected requests", () => {
  const limiter = new RateLimiter({ quota: 1, windowMs: 1000 });
  for (let turn = 0; turn < 10; turn++) limiter.take("a", 0);
  expect(limiter.isIdle(1000)).toBe(true);
  expect(limiter.take("a", 1000).isAllowed).toBe(true);
});
