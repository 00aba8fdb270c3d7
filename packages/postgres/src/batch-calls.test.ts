import pg from "pg";
import { describe, expect, it } from "vitest";
import { batchCalls } from "./batch-calls.js";
import { DatabaseUnavailableError, OutcomeUnknownError } from "./postgres-error.js";

const SIZE = { concurrency: 1, calls: 3 };

/** Creates a batched call that doubles numbers. Records every batch; a batch fails as `fault` decides. */
function doubling(fault: (batch: readonly number[]) => Error | undefined = () => undefined) {
  const batches: (readonly number[])[] = [];
  const double = batchCalls(async (batch: readonly number[]) => {
    batches.push(batch);
    await new Promise((resolve) => setImmediate(resolve));
    const error = fault(batch);
    if (error !== undefined) throw error;
    return batch.map((number) => 2 * number);
  }, SIZE);
  return { double, batches };
}

describe("batchCalls", () => {
  it("runs a lone call at once", async () => {
    const { double, batches } = doubling();
    const doubled = double(1);
    expect(batches).toEqual([[1]]);
    expect(await doubled).toBe(2);
    expect(await double(2)).toBe(4);
    expect(batches).toEqual([[1], [2]]);
  });

  it("batches the calls made meanwhile, up to the limit, and returns each its own result", async () => {
    const { double, batches } = doubling();
    expect(await Promise.all([1, 2, 3, 4, 5].map(double))).toEqual([2, 4, 6, 8, 10]);
    expect(batches).toEqual([[1], [2, 3, 4], [5]]);
  });

  it("batches only calls with the same key", async () => {
    const batches: (readonly number[])[] = [];
    const run = async (batch: readonly number[]) => {
      batches.push(batch);
      await new Promise((resolve) => setImmediate(resolve));
      return batch.map((number) => 2 * number);
    };
    const double = batchCalls(run, SIZE, (number) => number % 2);
    expect(await Promise.all([1, 2, 3, 4, 5, 6].map(double))).toEqual([2, 4, 6, 8, 10, 12]);
    expect(batches).toEqual([[1], [2], [3, 5], [4, 6]]);
  });

  it("limits the number of concurrent batches", async () => {
    let underWay = 0;
    let most = 0;
    const call = batchCalls(
      async (batch: readonly number[]) => {
        most = Math.max(most, ++underWay);
        await new Promise((resolve) => setImmediate(resolve));
        underWay--;
        return batch;
      },
      { concurrency: 2, calls: 2 },
    );
    await Promise.all(Array.from({ length: 20 }, (_, number) => call(number)));
    expect(most).toBe(2);
  });

  it("retries the calls of a rejected batch one by one, so that only the one at fault fails", async () => {
    const refused = new pg.DatabaseError("value out of range", 0, "error");
    const { double, batches } = doubling((batch) => (batch.includes(3) ? refused : undefined));
    const results = await Promise.allSettled([1, 2, 3, 4].map(double));
    expect(results.map((result) => (result.status === "fulfilled" ? result.value : result.reason))).toEqual([
      2,
      4,
      refused,
      8,
    ]);
    expect(batches).toEqual([[1], [2, 3, 4], [2], [3], [4]]);
  });

  it("does not retry calls whose outcome is unknown", async () => {
    const lost = new OutcomeUnknownError(new Error("the connection was lost"));
    const { double, batches } = doubling((batch) => (batch.includes(3) ? lost : undefined));
    const results = await Promise.allSettled([1, 2, 3, 4, 5].map(double));
    expect(results.map((result) => (result.status === "fulfilled" ? result.value : result.reason))).toEqual([
      2,
      lost,
      lost,
      lost,
      10,
    ]);
    expect(batches).toEqual([[1], [2, 3, 4], [5]]);
  });

  it("rejects the waiting calls too if the database is unavailable", async () => {
    const unavailable = new DatabaseUnavailableError("connection refused");
    const { double, batches } = doubling((batch) => (batch.includes(3) ? unavailable : undefined));
    const results = await Promise.allSettled([1, 2, 3, 4, 5].map(double));
    expect(results).toEqual([
      { status: "fulfilled", value: 2 },
      ...Array(4).fill({ status: "rejected", reason: unavailable }),
    ]);
    expect(await double(6)).toBe(12);
    expect(batches).toEqual([[1], [2, 3, 4], [6]]);
  });
});
