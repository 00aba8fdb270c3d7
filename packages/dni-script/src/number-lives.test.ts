import { computeNumberLifetime, type PassTracker, runPass } from "@calltrack/domain";
import { expect, test } from "vitest";
import { createNumberDisplay, type NumbersResponse } from "./number-display.js";
import type { NumberPair } from "./number-swapper.js";

/* Simulates tabs, and two pools of different accounts that share an inventory according to the server's rules. All clocks run evenly. */

const LIVES = 2000;

const SECOND = 1000;

/** Grace periods in seconds, from the shortest that gives numbers a known lifetime to the default. */
const GRACE_PERIODS = [6, 7, 9, 10, 20, 40, 90, 600, 3600, 86_400, 90_000, 2_592_000];

const SOURCES = ["google", "bing", "blog"];

const OWN = "google";

const ORIGINAL = "+12223334444";

/** Creates a generator of random numbers from 0 to 1 (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The outcome of one simulated tab. */
interface Life {
  /** Numbers that were visible although they no longer belonged to the visitor's source. */
  readonly wrong: string[];
  /** How many seconds a tracking number was visible. */
  shown: number;
  /** How many times a number that the visitor had seen no longer belonged to the visitor's source. */
  moved: number;
}

async function live(seed: number): Promise<Life> {
  const random = createRandom(seed);
  const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)] as T;
  const gracePeriodMs = pick(GRACE_PERIODS) * SECOND;
  const restMs = pick([0, 0, 3 * SECOND, 60 * SECOND]);
  const { maxAgeSeconds, showForSeconds } = computeNumberLifetime(gracePeriodMs);
  const hasSharedCache = random() < 0.5;
  const life: Life = { wrong: [], shown: 0, moved: 0 };
  const seen = new Set<string>();
  let now = Date.UTC(2026, 0, 1);

  const pools: { trackers: readonly PassTracker[] }[] = [{ trackers: [] }, { trackers: [] }];
  const freeFrom = new Map(["+1", "+2", "+3"].map((number) => [number, 0]));
  const settings = { minimum: 1, visitThreshold: 0, gracePeriodMs };

  function runPasses() {
    for (const pool of random() < 0.5 ? pools : [...pools].reverse()) {
      const inventory = [...freeFrom].filter(([, from]) => from <= now).map(([number]) => number);
      const sources = SOURCES.map((source) => ({ source, medium: "cpc", visits: Math.ceil(random() * 9) }));
      const size = pick([0, 1, 1, 2]);
      const passPool = { isManual: false, isFrozen: false, size, utilization: 0.5 };
      const before = pool.trackers.map(({ trackingNumber }) => trackingNumber);
      const input = { pool: passPool, trackers: pool.trackers, sources, inventory, now: new Date(now), settings };
      const pass = runPass(input);
      let step = pass.next();
      while (!step.done) step = pass.next();
      pool.trackers = step.value.trackers;
      const after = new Set(pool.trackers.map(({ trackingNumber }) => trackingNumber));
      for (const number of before) if (!after.has(number)) freeFrom.set(number, now + restMs);
      for (const number of after) freeFrom.delete(number);
    }
  }

  const isOwn = ({ source }: PassTracker) => source?.source === OWN;
  const ringsForVisitor = (number: string) =>
    pools[0]?.trackers.some((tracker) => tracker.trackingNumber === number && isOwn(tracker)) ?? false;

  function answer() {
    const active = pools[0]?.trackers.find((tracker) => tracker.status === "active" && isOwn(tracker));
    if (active === undefined) return [];
    return [{ original_number: ORIGINAL, number: active.trackingNumber, show_for_seconds: showForSeconds }];
  }

  // The simulated network, with a cache that keeps responses for the full `max-age`.
  let cached = { at: 0, numbers: answer() };
  let deliveries: { readonly at: number; deliver(): void }[] = [];
  let isReachable = true;

  function fetchNumbers() {
    if (!isReachable) return Promise.reject(new Error("unreachable"));
    if (!hasSharedCache || now - cached.at > maxAgeSeconds * SECOND) cached = { at: now, numbers: answer() };
    const { numbers } = cached;
    const delay = pick([0, 0, 1, 2.9]) * SECOND;
    return new Promise<typeof numbers>((resolve) => {
      deliveries.push({ at: now + delay, deliver: () => resolve(numbers) });
    });
  }

  async function settle() {
    const due = deliveries.filter(({ at }) => at <= now);
    if (due.length === 0) return;
    deliveries = deliveries.filter(({ at }) => at > now);
    for (const { deliver } of due) deliver();
    // The page handles a response a few microtasks after its delivery.
    for (let turn = 0; turn < 4; turn++) await undefined;
  }

  let stored = "{}";
  let visible: readonly NumberPair[] = [];
  let update = () => {};

  async function openPage() {
    const visit: { answer?: NumbersResponse } = JSON.parse(stored);
    visible = [];
    deliveries = [];
    const swap = (pairs: readonly NumberPair[]) => {
      visible = pairs;
    };
    const save = () => {
      stored = JSON.stringify(visit);
    };
    update = createNumberDisplay(visit, { fetchNumbers, swap, now: () => now, save });
    update();
    await settle();
    look();
  }

  function look() {
    for (const { number } of visible) {
      life.shown++;
      seen.add(number);
      if (!ringsForVisitor(number)) life.wrong.push(`${number} of seed ${seed}`);
    }
  }

  runPasses();
  await openPage();
  for (let step = 0; step < 8; step++) {
    isReachable = random() < 0.7;
    const watched = Math.floor(random() * random() * 50);
    for (let second = 0; second < watched; second++) {
      now += SECOND;
      if (random() < 0.1) runPasses();
      await settle();
      look();
      update();
      await settle();
      look();
    }
    // Simulates a hidden tab or a sleeping computer: nobody sees numbers, and timers may stop.
    const away = pick([0, 5, 20, gracePeriodMs / SECOND, 86_400]) * random() * 2 * SECOND;
    for (let pass = 0; pass < 4; pass++) {
      now += away / 4;
      runPasses();
    }
    life.moved += [...seen].filter((number) => !ringsForVisitor(number)).length;
    if (random() < 0.5) await openPage();
    update();
    await settle();
    look();
  }
  return life;
}

test(`in ${LIVES} simulated tabs, no visible number rings for another source or account`, async () => {
  const total: Life = { wrong: [], shown: 0, moved: 0 };
  for (let seed = 0; seed < LIVES; seed++) {
    const life = await live(seed);
    total.wrong.push(...life.wrong);
    total.shown += life.shown;
    total.moved += life.moved;
  }
  expect(total.wrong).toEqual([]);
  // Proves that the simulations are long enough: numbers were visible, and many of them later no longer belonged to the visitor's source.
  expect(total.shown).toBeGreaterThan(LIVES);
  expect(total.moved).toBeGreaterThan(LIVES / 2);
});
