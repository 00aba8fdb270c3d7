import { AccountService } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { createContextValues, type UnaryRequest, type UnaryResponse } from "@connectrpc/connect";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Health } from "../gen/health/v1/health_pb.js";
import { ConcurrencyLimit } from "./concurrency-limit.js";

const TIMEOUT_MS = 1000;
const RESPONSE = {} as UnaryResponse;

/** A call that was made. */
interface Call {
  /** What becomes of it: `done`, or the reason of its error. */
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

/** How many more calls are let in, each of which is finished at once. */
async function countFree(): Promise<number> {
  const more = Array.from({ length: 5 }, () => call());
  for (const { finish } of more) finish();
  const outcomes = await Promise.all(more.map(({ outcome }) => outcome));
  expect(new Set(outcomes.filter((outcome) => outcome !== "done"))).toEqual(new Set(["OVERLOADED"]));
  return outcomes.filter((outcome) => outcome === "done").length;
}

test("as many calls are let in as may be, and the next one is refused", async () => {
  callThree();
  expect(calls.isFull).toBe(true);
  expect(await call().outcome).toBe("OVERLOADED");
});

test.each(["finish", "fail"] as const)("a call leaves room for another by its %s", async (how) => {
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
])("calls may end in any order: %i, %i, %i", async (...order) => {
  const three = callThree();
  for (const [ended, index] of order.entries()) {
    three[index]?.finish();
    await three[index]?.outcome;
    expect(calls.isFull).toBe(false);
    expect(await countFree()).toBe(ended + 1);
  }
});

test.each([0, 1, 2])(
  "every call that is left is answered at its deadline, also when call %i ended before",
  async (ended) => {
    const three = callThree();
    three[ended]?.finish();
    await three[ended]?.outcome;
    vi.advanceTimersByTime(1.5 * TIMEOUT_MS);
    for (const [index, { outcome }] of three.entries())
      expect(await outcome).toBe(index === ended ? "done" : "DEADLINE_EXCEEDED");
  },
);

test("a call that was answered at its deadline counts until its work is done", async () => {
  const three = callThree();
  vi.advanceTimersByTime(1.5 * TIMEOUT_MS);
  for (const { outcome } of three) expect(await outcome).toBe("DEADLINE_EXCEEDED");
  expect(calls.isFull).toBe(true);
  expect(await countFree()).toBe(0);
  three[1].finish();
  await expect.poll(() => calls.isFull).toBe(false);
  expect(await countFree()).toBe(1);
});

test("a call is not answered before its deadline", async () => {
  const first = call();
  vi.advanceTimersByTime(TIMEOUT_MS / 2);
  first.finish();
  expect(await first.outcome).toBe("done");
});

test("health checks are let in and not counted", async () => {
  callThree();
  const check = call({ service: Health });
  check.finish();
  expect(await check.outcome).toBe("done");
});

test("calls that arrive count until what was read with them is taken", async () => {
  call();
  calls.noteArrival();
  expect(calls.isFull).toBe(false);
  calls.noteArrival();
  expect(calls.isFull).toBe(true);
  await Promise.resolve();
  expect(calls.isFull).toBe(false);
  expect(await countFree()).toBe(2);
});

test("the beginning of a call with one message is told, and that of a stream is not", () => {
  const contextValues = createContextValues();
  call({ contextValues });
  call({ stream: true } as never);
  expect(begun).toEqual([contextValues]);
});

test("without a limit any number is let in", async () => {
  const unlimited = new ConcurrencyLimit({ maxRequests: undefined, requestTimeoutMs: TIMEOUT_MS }, () => {});
  calls.close();
  calls = unlimited;
  for (let count = 0; count < 1000; count++) call();
  expect(calls.isFull).toBe(false);
});
