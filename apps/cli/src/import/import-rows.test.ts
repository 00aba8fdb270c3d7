import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { ImportRow } from "./import-row.js";
import { importRows } from "./import-rows.js";
import type { RowOutcome } from "./row-outcome.js";

async function* rowsOf(count: number): AsyncGenerator<ImportRow> {
  for (let line = 1; line <= count; line += 1) {
    yield { line, endByte: line, content: { kind: "fields", fields: {} }, toReject: String };
  }
}

interface Run {
  readonly told: number[];
  readonly most: number;
  readonly begun: number;
  readonly error: unknown;
}

async function run(
  rows: AsyncIterable<ImportRow>,
  outcomeOf: (line: number) => RowOutcome,
  stop = new AbortController().signal,
): Promise<Run> {
  const told: number[] = [];
  let begun = 0;
  let underWay = 0;
  let most = 0;
  const importRow = async ({ line }: ImportRow): Promise<RowOutcome> => {
    begun += 1;
    underWay += 1;
    most = Math.max(most, underWay);
    await sleep(line % 3);
    underWay -= 1;
    return outcomeOf(line);
  };
  const onOutcome = async ({ line }: ImportRow) => void told.push(line);
  const error = await importRows({ rows, importRow, onOutcome, concurrency: 4, stop }).catch((thrown) => thrown);
  return { told, most, begun, error };
}

test("rows are imported several at once and told in their order", async () => {
  const { told, most, error } = await run(rowsOf(50), () => ({ kind: "created" }));
  expect(error).toBeUndefined();
  expect(told).toStrictEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  expect(most).toBe(4);
});

test("a fatal outcome begins no further row and settles those under way", async () => {
  const fatal = new Error("lost");
  const outcome = await run(rowsOf(50), (line) => (line < 10 ? { kind: "created" } : { kind: "unanswered", fatal }));
  expect(outcome.error).toBe(fatal);
  expect(outcome.told).toHaveLength(outcome.begun);
  expect(outcome.begun).toBeLessThan(15);
});

test("what reading throws is thrown after the rows under way are settled", async () => {
  const failure = new Error("unreadable");
  async function* broken() {
    yield* rowsOf(3);
    throw failure;
  }
  const { told, error } = await run(broken(), () => ({ kind: "created" }));
  expect(error).toBe(failure);
  expect(told).toStrictEqual([1, 2, 3]);
});

test("stopping begins no further row and settles those under way", async () => {
  const stop = new AbortController();
  const stopAt10 = (line: number): RowOutcome => {
    if (line === 10) stop.abort(new Error("enough"));
    return { kind: "created" };
  };
  const { told, begun, error } = await run(rowsOf(50), stopAt10, stop.signal);
  expect(error).toBe(stop.signal.reason);
  expect(told).toHaveLength(begun);
  expect(begun).toBeLessThan(15);
});
