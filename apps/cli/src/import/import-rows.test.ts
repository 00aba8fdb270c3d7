import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { RowGroup } from "./import-row.js";
import { importRows } from "./import-rows.js";
import type { RowOutcome } from "./row-outcome.js";

async function* rowsOf(count: number): AsyncGenerator<RowGroup> {
  const content = { kind: "fields", fields: {} } as const;
  for (let line = 1; line <= count; line += 1) {
    yield { rows: [{ line, endByte: line, content, toReject: String }], content };
  }
}

/** Imports the groups. Returns the reported lines, the sizes of batches, and the maximum number of batches in flight. */
async function run(
  groups: AsyncIterable<RowGroup>,
  outcomeOf: (line: number) => RowOutcome,
  { stop = new AbortController().signal, batchSize = 1 } = {},
) {
  const told: number[] = [];
  const sizes: number[] = [];
  let begun = 0;
  let underWay = 0;
  let most = 0;
  const importBatch = async (batch: readonly RowGroup[]): Promise<RowOutcome[]> => {
    sizes.push(batch.length);
    begun += batch.length;
    underWay += 1;
    most = Math.max(most, underWay);
    await sleep(begun % 3);
    underWay -= 1;
    return batch.map(({ rows }) => outcomeOf(rows[0]?.line ?? 0));
  };
  const onOutcome = async ({ rows }: RowGroup) => void told.push(rows[0]?.line ?? 0);
  const plan = { groups, batchSize, importBatch, onOutcome, concurrency: 4, stop };
  const error: unknown = await importRows(plan).catch((thrown) => thrown);
  return { told, sizes, most, begun, error };
}

test("imports rows concurrently and reports them in order", async () => {
  const { told, most, error } = await run(rowsOf(50), () => ({ kind: "created" }));
  expect(error).toBeUndefined();
  expect(told).toStrictEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  expect(most).toBe(4);
});

test("fills all batches but the last one", async () => {
  const { told, sizes, most } = await run(rowsOf(95), () => ({ kind: "created" }), { batchSize: 10 });
  expect(sizes).toStrictEqual([10, 10, 10, 10, 10, 10, 10, 10, 10, 5]);
  expect(told).toStrictEqual(Array.from({ length: 95 }, (_, index) => index + 1));
  expect(most).toBe(4);
});

test("after a fatal outcome starts no further row and awaits those in flight", async () => {
  const fatal = new Error("lost");
  const outcome = await run(rowsOf(50), (line) => (line < 10 ? { kind: "created" } : { kind: "unanswered", fatal }));
  expect(outcome.error).toBe(fatal);
  expect(outcome.told).toHaveLength(outcome.begun);
  expect(outcome.begun).toBeLessThan(15);
});

test.each([1, 2, 10])("throws a reading error after the rows before it, in batches of %d", async (batchSize) => {
  const failure = new Error("unreadable");
  async function* broken() {
    yield* rowsOf(3);
    throw failure;
  }
  const { told, error } = await run(broken(), () => ({ kind: "created" }), { batchSize });
  expect(error).toBe(failure);
  expect(told).toStrictEqual([1, 2, 3]);
});

test("stopping discards an incomplete batch", async () => {
  const stop = new AbortController();
  async function* stopped() {
    yield* rowsOf(3);
    stop.abort(new Error("enough"));
    throw stop.signal.reason;
  }
  const { begun, error } = await run(stopped(), () => ({ kind: "created" }), { stop: stop.signal, batchSize: 10 });
  expect(begun).toBe(0);
  expect(error).toBe(stop.signal.reason);
});

test("stopping starts no further row and awaits those in flight", async () => {
  const stop = new AbortController();
  const stopAt10 = (line: number): RowOutcome => {
    if (line === 10) stop.abort(new Error("enough"));
    return { kind: "created" };
  };
  const { told, begun, error } = await run(rowsOf(50), stopAt10, { stop: stop.signal });
  expect(error).toBe(stop.signal.reason);
  expect(told).toHaveLength(begun);
  expect(begun).toBeLessThan(15);
});
