import { expect, test } from "vitest";
import { DecompressionQueue } from "./decompression-queue.js";

/** A body that was passed to the queue. */
interface Scheduled {
  readonly bytes: number;
  isRunning: boolean;
  /** Resolves with `done` when the body is decompressed, or with the error message. */
  readonly outcome: Promise<string>;
  finish(): void;
  fail(): void;
}

function createQueue(maxBytes: number) {
  let refusals = 0;
  const queue = new DecompressionQueue(maxBytes, () => {
    refusals++;
    return new Error("refused");
  });
  const schedule = (bytes: number): Scheduled => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const work = () => {
      scheduled.isRunning = true;
      return promise;
    };
    const outcome = Promise.resolve()
      .then(() => queue.schedule(bytes, work))
      .catch((error) => error.message);
    const scheduled: Scheduled = {
      bytes,
      isRunning: false,
      outcome,
      finish: () => resolve("done"),
      fail: () => reject(new Error("failed")),
    };
    return scheduled;
  };
  return { schedule, countRefusals: () => refusals };
}

/** Lets pending promise callbacks run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

async function running(all: readonly Scheduled[]): Promise<number[]> {
  await settle();
  return all.flatMap(({ isRunning }, index) => (isRunning ? [index] : []));
}

test("decompresses two bodies at a time, in order of arrival", async () => {
  const { schedule } = createQueue(1000);
  const all = [1, 2, 3, 4].map(schedule);
  expect(await running(all)).toEqual([0, 1]);
  all[1]?.finish();
  expect(await running(all)).toEqual([0, 1, 2]);
  all[0]?.finish();
  expect(await running(all)).toEqual([0, 1, 2, 3]);
});

test("starts the next body after a failure", async () => {
  const { schedule } = createQueue(1000);
  const all = [1, 2, 3].map(schedule);
  await settle();
  all[0]?.fail();
  expect(await all[0]?.outcome).toBe("failed");
  expect(await running(all)).toEqual([0, 1, 2]);
});

test("keeps the same concurrency for later bodies", async () => {
  const { schedule } = createQueue(1000);
  for (let turn = 0; turn < 3; turn++) {
    const all = [1, 2, 3, 4].map(schedule);
    expect(await running(all)).toEqual([0, 1]);
    for (const { finish } of all) finish();
    expect(await Promise.all(all.map(({ outcome }) => outcome))).toEqual(Array(4).fill("done"));
  }
});

test("rejects the largest queued body beyond the limit", async () => {
  const { schedule, countRefusals } = createQueue(100);
  const [first, second] = [schedule(5000), schedule(5000)];
  await settle();
  const [small, large] = [schedule(30), schedule(70)];
  await settle();
  expect(countRefusals()).toBe(0);
  const last = schedule(1);
  expect(await large.outcome).toMatch(/\S/);
  expect(countRefusals()).toBe(1);
  for (const { finish } of [first, second, small, last]) finish();
  for (const { outcome } of [first, second, small, last]) expect(await outcome).toBe("done");
  expect(large.isRunning).toBe(false);
});

test("does not count running and rejected bodies as queued", async () => {
  const { schedule, countRefusals } = createQueue(100);
  const busy = [schedule(1), schedule(1)];
  await settle();
  for (let turn = 0; turn < 3; turn++) {
    const waiting = schedule(100);
    const refused = schedule(200);
    await refused.outcome;
    expect(countRefusals()).toBe(turn + 1);
    busy.shift()?.finish();
    await settle();
    expect(waiting.isRunning).toBe(true);
    busy.push(waiting);
  }
  for (const { finish } of busy) finish();
});
