import { expect, test } from "vitest";
import type { RequestState } from "../observability/requests/request-state.js";
import { ConcurrencyLimit } from "./concurrency-limit.js";

function createRequests(count: number): RequestState[] {
  return Array.from({ length: count }, () => ({ isCounted: false }) as RequestState);
}

test("admits requests up to the limit, and rejects the next one", () => {
  const limit = new ConcurrencyLimit(3);
  const requests = createRequests(4);
  expect(requests.map((request) => limit.take(request))).toEqual([true, true, true, false]);
  expect(limit.isFull).toBe(true);
});

test("admits another request after one is released, in any order", () => {
  const limit = new ConcurrencyLimit(3);
  const requests = createRequests(3);
  for (const request of requests) limit.take(request);
  for (const [released, index] of [1, 0, 2].entries()) {
    limit.release(requests[index] as RequestState);
    const more = createRequests(4);
    expect(more.filter((request) => limit.take(request))).toHaveLength(released + 1);
    for (const request of more) limit.release(request);
  }
});

test("counts a request once, and ignores the release of an uncounted request", () => {
  const limit = new ConcurrencyLimit(2);
  const [first, second, third] = createRequests(3) as [RequestState, RequestState, RequestState];
  for (let turn = 0; turn < 3; turn++) expect(limit.take(first)).toBe(true);
  limit.take(second);
  limit.release(third);
  expect(limit.take(third)).toBe(false);
  for (let turn = 0; turn < 3; turn++) limit.release(first);
  expect(limit.take(third)).toBe(true);
  expect(limit.take(first)).toBe(false);
});

test("admits any number of requests if there is no limit", () => {
  const limit = new ConcurrencyLimit(undefined);
  for (const request of createRequests(1000)) limit.take(request);
  expect(limit.isFull).toBe(false);
});
