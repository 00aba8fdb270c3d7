import { pino } from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { closeWithTimeout } from "./close-with-timeout.js";

const LIMIT_MS = 1000;

let warnings: string[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  warnings = [];
});

afterEach(() => {
  vi.useRealTimers();
});

function closeDatabase(close: () => Promise<void> | undefined): Promise<void> {
  const log = pino({ base: null }, { write: (line) => void warnings.push(JSON.parse(line).msg) });
  return closeWithTimeout("the database", LIMIT_MS, log, close);
}

test.each([
  ["synchronously", () => undefined],
  ["before the time limit", async () => {}],
])("leaves no timer and no warning if the resource closes %s", async (_, close) => {
  await closeDatabase(close);
  expect(vi.getTimerCount()).toBe(0);
  expect(warnings).toEqual([]);
});

test("stops waiting with a warning after the time limit", async () => {
  const closing = closeDatabase(() => new Promise(() => {}));
  let isDone = false;
  void closing.then(() => {
    isDone = true;
  });
  await vi.advanceTimersByTimeAsync(LIMIT_MS - 1);
  expect([isDone, warnings]).toEqual([false, []]);
  await vi.advanceTimersByTimeAsync(1);
  await closing;
  expect(warnings).toEqual(["the database did not stop in time"]);
});

test.each([
  ["rejects", () => Promise.reject(new Error("broken"))],
  [
    "throws",
    () => {
      throw new Error("broken");
    },
  ],
])("throws the error and leaves no timer if closing %s", async (_, close) => {
  await expect(closeDatabase(close)).rejects.toThrow("broken");
  expect(vi.getTimerCount()).toBe(0);
  expect(warnings).toEqual([]);
});

test("ignores an error after the time limit", async () => {
  const { promise, reject } = Promise.withResolvers<void>();
  const closing = closeDatabase(() => promise);
  await vi.advanceTimersByTimeAsync(LIMIT_MS);
  await closing;
  reject(new Error("late"));
  await new Promise((resolve) => setImmediate(resolve));
});
