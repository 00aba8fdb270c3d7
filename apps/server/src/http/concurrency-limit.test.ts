import { AccountService } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { createContextValues, type UnaryRequest, type UnaryResponse } from "@connectrpc/connect";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Health } from "../gen/health/v1/health_pb.js";
import { ConcurrencyLimit } from "./concurrency-limit.js";

const TIMEOUT_MS = 1000;
const RESPONSE = {} as UnaryResponse;

/** A call through the limit. */
interface Call {
  /** The result: `done`, or the reason of the error. */
  readonly outcome: Promise<string>;
  finish(): void;
  fail(): void;
}

let calls: ConcurrencyLimit;
let begun: unknown[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  begun = [];
  calls = new ConcurrencyLimit({ maxRequests: 3, requestTimeoutMs: TIMEOUT_MS }, (values) => begun.push(values));
});

afterEach(() => {
  calls.close();
  vi.useRealTimers();
});

function call(fields: Partial<UnaryRequest> = {}): Call {
  const { promise, resolve, reject } = Promise.withResolvers<UnaryResponse>();
  const request = { stream: false, service: AccountService, contextValues: createContextValues(), ...fields };
  const answer = calls.interceptor(() => promise)(request as UnaryRequest);
  const outcome = answer.then(
    () => "done",
    (error) => error.reason ?? error.message,
  );
  return { outcome, finish: () => resolve(RESPONSE), fail: () => reject(new Error("failed")) };
}

const callThree = () => [call(), call(), call()] as const;

/** Returns how many more calls the limit admits. They finish immediately. */
async function countFree(): Promise<number> {
  const more = Array.from({ length: 5 }, () => call());
  for (const { finish } of more) finish();
  const outcomes = await Promise.all(more.map(({ outcome }) => outcome));
  expect(new Set(outcomes.filter((outcome) => outcome !== "done"))).toEqual(new Set(["OVERLOADED"]));
  return outcomes.filter((outcome) => outcome === "done").length;
}

test("admits calls up to the limit, and rejects the next one", async () => {
  callThree();
  expect(calls.isFull).toBe(true);
  expect(await call().outcome).toBe("OVERLOADED");
});

test.each(["finish", "fail"] as const)("admits another call after the %s of one", async (how) => {
  const [first] = callThree();
  first[how]();
  expect(await first.outcome).toBe(how === "finish" ? "done" : "failed");
  expect(calls.isFull).toBe(false);
  expect(await countFree()).toBe(1);
});

test.each([
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
])("counts correctly if calls end in the order %i, %i, %i", async (...order) => {
  const three = callThree();
  for (const [ended, index] of order.entries()) {
    three[index]?.finish();
    await three[index]?.outcome;
    expect(calls.isFull).toBe(false);
    expect(await countFree()).toBe(ended + 1);
  }
});

test.each([0, 1, 2])("fails every remaining call at its deadline after call %i ended", async (ended) => {
  const three = callThree();
  three[ended]?.finish();
  await three[ended]?.outcome;
  vi.advanceTimersByTime(1.5 * TIMEOUT_MS);
  for (const [index, { outcome }] of three.entries())
    expect(await outcome).toBe(index === ended ? "done" : "DEADLINE_EXCEEDED");
});

test("counts a call that exceeded its deadline until its work is done", async () => {
  const three = callThree();
  vi.advanceTimersByTime(1.5 * TIMEOUT_MS);
  for (const { outcome } of three) expect(await outcome).toBe("DEADLINE_EXCEEDED");
  expect(calls.isFull).toBe(true);
  expect(await countFree()).toBe(0);
  three[1].finish();
  await expect.poll(() => calls.isFull).toBe(false);
  expect(await countFree()).toBe(1);
});

test("does not fail a call before its deadline", async () => {
  const first = call();
  vi.advanceTimersByTime(TIMEOUT_MS / 2);
  first.finish();
  expect(await first.outcome).toBe("done");
});

test("admits health checks and does not count them", async () => {
  callThree();
  const check = call({ service: Health });
  check.finish();
  expect(await check.outcome).toBe("done");
});

test("counts arriving requests until the requests read together with them are handled", async () => {
  call();
  calls.noteArrival();
  expect(calls.isFull).toBe(false);
  calls.noteArrival();
  expect(calls.isFull).toBe(true);
  await Promise.resolve();
  expect(calls.isFull).toBe(false);
  expect(await countFree()).toBe(2);
});

test("reports the beginning of a unary call, but not of a stream", () => {
  const contextValues = createContextValues();
  call({ contextValues });
  call({ stream: true } as never);
  expect(begun).toEqual([contextValues]);
});

test("admits any number of calls without a limit", async () => {
  const unlimited = new ConcurrencyLimit({ maxRequests: undefined, requestTimeoutMs: TIMEOUT_MS }, () => {});
  calls.close();
  calls = unlimited;
  for (let count = 0; count < 1000; count++) call();
  expect(calls.isFull).toBe(false);
});
