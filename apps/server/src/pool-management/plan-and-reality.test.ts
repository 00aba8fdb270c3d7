import fc from "fast-check";
import { expect, test } from "vitest";
import type { ApiClient, CallTrackerChangeJson } from "../testing/api-client.js";
import { anyPoolScript, type ScriptedPool, withScriptedPools } from "../testing/pool-script.js";

/** The number of pool states tested. */
const STATES = Number(process.env.PLANNED_STATES ?? 24);

/** The number of pools that share one clock. */
const BATCH = Math.min(STATES, 40);

const ROUNDS = 3;

const HOUR_S = 3600;
const HOUR_MS = HOUR_S * 1000;
const DAY_H = 24;

/**
 * The maximum difference between a planned and an actual time. A change that is planned for the present occurs shortly after the plan is made. Other
 * compared changes are hours apart, so the delay does not affect their order.
 */
const TOLERANCE_MS = HOUR_MS / 2;

const anyBatch = fc.record({
  scripts: fc.array(anyPoolScript(ROUNDS), { minLength: BATCH, maxLength: BATCH }),
  /** Hours between the rounds. */
  hours: fc.array(fc.constantFrom(1, 5 * DAY_H, 20 * DAY_H, 25 * DAY_H, 31 * DAY_H), {
    minLength: ROUNDS - 1,
    maxLength: ROUNDS - 1,
  }),
  restHours: fc.constantFrom(0, 1, 7 * DAY_H, 40 * DAY_H),
  minimum: fc.nat(2),
});

/** Returns the fields of a change that the test compares, as one text. */
function effect({ kind, tracking_number, source, medium, reason }: CallTrackerChangeJson): string {
  return `${kind} ${tracking_number} ${source} ${medium}: ${reason}`;
}

test("a plan predicts the actual changes for random states of the pool", { timeout: 24 * 3_600_000 }, async () => {
  const seen = { states: 0, changes: 0, frozen: 0, retiring: 0, elsewhere: 0, resting: 0 };
  await fc.assert(
    fc.asyncProperty(anyBatch, ({ scripts, hours, restHours, minimum }) =>
      withScriptedPools(scripts, { minimum, numberRestMs: restHours * HOUR_MS }, async (pools, api) => {
        for (let round = 0; round < ROUNDS; round++) {
          await Promise.all(pools.map((pool) => pool.play(round)));
          const pause = hours[round];
          if (pause !== undefined) await api.advanceClock({ by: `${pause * HOUR_S}s` });
        }
        const plans = await Promise.all(pools.map((pool) => planAndApply(api, pool)));
        await api.advanceClock({ by: `${31 * DAY_H * HOUR_S}s` });
        for (const each of plans) await expectReality(api, each);
        seen.states += plans.length;
        for (const { pool, plan, retiring } of plans) {
          seen.changes += plan.changes.length;
          if (pool.isFrozen) seen.frozen++;
          if (retiring > 0) seen.retiring++;
          if ("area_code" in pool.change) seen.elsewhere++;
          if (restHours > 0) seen.resting++;
        }
      }),
    ),
    { numRuns: Math.ceil(STATES / BATCH), endOnFailure: true },
  );
  if (process.env.PLANNED_STATES) console.info(seen);
});

/** Plans the change of a script, and applies it. `past` is the length of the pool's history before the change. */
async function planAndApply(api: ApiClient, pool: ScriptedPool) {
  const past = (await api.listPoolHistory(pool.name)).entries.length;
  const { retiring } = await api.explainPool(pool.name);
  const plan = await api.planPoolUpdate({ ...pool.name, ...pool.change });
  await api.updatePool({ ...pool.name, ...pool.change });
  return { pool, plan, past, retiring: retiring.length };
}

type Planned = Awaited<ReturnType<typeof planAndApply>>;

async function expectReality(api: ApiClient, { pool, plan, past }: Planned): Promise<void> {
  const happened = (await api.listPoolHistory(pool.name)).entries.slice(past);
  expect(happened.map(effect)).toEqual(plan.changes.map(effect));
  happened.forEach(({ occurred_at, call_tracker_id }, index) => {
    const foreseen = plan.changes[index];
    const lateness = Date.parse(occurred_at) - Date.parse(foreseen?.occurred_at ?? "");
    expect(Math.abs(lateness)).toBeLessThan(TOLERANCE_MS);
    expect(foreseen?.call_tracker_id ?? call_tracker_id).toBe(call_tracker_id);
  });
  const { unserved_sources, missing_numbers, is_frozen } = plan;
  expect(await api.explainPool(pool.name)).toMatchObject({ unserved_sources, missing_numbers, is_frozen });
}
