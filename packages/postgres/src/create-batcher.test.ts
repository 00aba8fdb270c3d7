import pg from "pg";
import { describe, expect, it } from "vitest";
import { createBatcher } from "./create-batcher.js";
import { ConnectionClosedError, DatabaseUnavailableError, OutcomeUnknownError } from "./postgres-error.js";

const SIZE = { concurrency: 1, size: 3 };

/** Creates a batcher that doubles numbers and records every batch. A batch fails if `fault` returns an error. */
function doubling(fault: (batch: readonly number[]) => Error | undefined = () => undefined) {
  const batches: (readonly number[])[] = [];
  const double = createBatcher(async (batch: readonly number[]) => {
    batches.push(batch);
    await new Promise((resolve) => setImmediate(resolve));
    const error = fault(batch);
    if (error !== undefined) throw error;
    return batch.map((number) => 2 * number);
  }, SIZE);
  /** Doubles numbers concurrently. Returns the results and errors. */
  const doubleAll = async (numbers: readonly number[]) => {
    const results = await Promise.allSettled(numbers.map(double));
    return results.map((result) => (result.status === "fulfilled" ? result.value : result.reason));
  };
  return { double, doubleAll, batches };
}

describe("createBatcher", () => {
  it("processes a single item immediately", async () => {
    const { double, batches } = doubling();
    const doubled = double(1);
    expect(batches).toEqual([[1]]);
    expect(await doubled).toBe(2);
    expect(await double(2)).toBe(4);
    expect(batches).toEqual([[1], [2]]);
  });

  it("batches the items that arrive meanwhile, up to the limit, and returns each its own result", async () => {
    const { double, batches } = doubling();
    expect(await Promise.all([1, 2, 3, 4, 5].map(double))).toEqual([2, 4, 6, 8, 10]);
    expect(batches).toEqual([[1], [2, 3, 4], [5]]);
  });

  it("batches only items with the same key", async () => {
    const batches: (readonly number[])[] = [];
    const run = async (batch: readonly number[]) => {
      batches.push(batch);
      await new Promise((resolve) => setImmediate(resolve));
      return batch.map((number) => 2 * number);
    };
    const double = createBatcher(run, SIZE, (number) => number % 2);
    expect(await Promise.all([1, 2, 3, 4, 5, 6].map(double))).toEqual([2, 4, 6, 8, 10, 12]);
    expect(batches).toEqual([[1], [2], [3, 5], [4, 6]]);
  });

  it("limits the number of concurrent batches", async () => {
    let inProgress = 0;
    let most = 0;
    const call = createBatcher(
      async (batch: readonly number[]) => {
        most = Math.max(most, ++inProgress);
        await new Promise((resolve) => setImmediate(resolve));
        inProgress--;
        return batch;
      },
      { concurrency: 2, size: 2 },
    );
    await Promise.all(Array.from({ length: 20 }, (_, number) => call(number)));
    expect(most).toBe(2);
  });

  it("retries the items of a rejected batch one by one, so that only the invalid one fails", async () => {
    const rejected = new pg.DatabaseError("value out of range", 0, "error");
    const { doubleAll, batches } = doubling((batch) => (batch.includes(3) ? rejected : undefined));
    expect(await doubleAll([1, 2, 3, 4])).toEqual([2, 4, rejected, 8]);
    expect(batches).toEqual([[1], [2, 3, 4], [2], [3], [4]]);
  });

  it.each([
    ["whose outcome is unknown", new OutcomeUnknownError(new Error("the connection was lost"))],
    ["that were canceled", new ConnectionClosedError()],
  ])("does not retry items %s", async (_, error) => {
    const { doubleAll, batches } = doubling((batch) => (batch.includes(3) ? error : undefined));
    expect(await doubleAll([1, 2, 3, 4, 5])).toEqual([2, error, error, error, 10]);
    expect(batches).toEqual([[1], [2, 3, 4], [5]]);
  });

  it("rejects the waiting items too if the database is unavailable", async () => {
    const unavailable = new DatabaseUnavailableError("connection refused");
    const { double, doubleAll, batches } = doubling((batch) => (batch.includes(3) ? unavailable : undefined));
    expect(await doubleAll([1, 2, 3, 4, 5])).toEqual([2, unavailable, unavailable, unavailable, unavailable]);
    expect(await double(6)).toBe(12);
    expect(batches).toEqual([[1], [2, 3, 4], [6]]);
  });
});
