import fc from "fast-check";
import { expect, test } from "vitest";
import type { ApiClient, RequestFields } from "../testing/api-client.js";
import { anyPoolScript, withScriptedPools } from "../testing/pool-script.js";

/** The number of pool states compared. */
const STATES = Number(process.env.COMPARED_STATES ?? 24);

/** The number of pools that share one clock. */
const BATCH = Math.min(STATES, 24);

const ROUNDS = 3;

const anyBatch = fc.record({
  scripts: fc.array(anyPoolScript(ROUNDS), { minLength: BATCH, maxLength: BATCH }),
  hours: fc.array(fc.constantFrom(1, 24, 20 * 24, 31 * 24), { minLength: ROUNDS, maxLength: ROUNDS }),
  minimum: fc.nat(2),
});

const WARNING_TEXTS: Readonly<Record<string, RegExp>> = {
  starved: /^\d+ sources? without a call tracker/,
  numbers_missing: /^the inventory lacks/,
  frozen: /^call tracking is disabled/,
  over_size: /^the pool holds/,
  not_shown: /^no page can show/,
  failing: /^the last .*attempts? to manage/,
};

async function summaryOf(api: ApiClient, { account_id, pool_id }: RequestFields) {
  const { entries } = await api.listPoolSummaries({ account_id });
  const summary = entries.find(({ id }) => id === pool_id);
  if (summary === undefined) throw new Error(`no summary of ${pool_id}`);
  return summary;
}

/** Compares the summary of a pool with its explanation. Both agree while no pass is due. */
async function expectAgreement(api: ApiClient, name: RequestFields): Promise<readonly string[]> {
  const [summary, explained] = [await summaryOf(api, name), await api.explainPool(name)];
  const { active, flagged, available, last_pass_at, next_pass_at } = explained;
  expect(summary).toMatchObject({ active, flagged, available, last_pass_at, next_pass_at });
  expect({ unserved: summary.unserved_sources, missing: summary.missing_numbers }).toEqual(
    explained.is_frozen
      ? { unserved: null, missing: null }
      : { unserved: explained.unserved_sources, missing: explained.missing_numbers },
  );
  const named = Object.keys(WARNING_TEXTS).filter((warning) =>
    explained.warnings.some((text) => WARNING_TEXTS[warning]?.test(text)),
  );
  expect(summary.warnings.toSorted()).toEqual(named.toSorted());
  const { pool_type, size, utilization, area_code, property_token, description } = await api.getPool(name);
  expect(summary).toMatchObject({ pool_type, size, utilization, area_code, property_token, description });
  return summary.warnings;
}

test("summaries of pools agree with the explanations of pools in random states", {
  timeout: 24 * 3_600_000,
}, async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(anyBatch, ({ scripts, hours, minimum }) =>
      withScriptedPools(scripts, { minimum }, async (pools, api) => {
        for (const [round, pause] of hours.entries()) {
          await Promise.all(pools.map((pool) => pool.play(round)));
          await api.advanceClock({ by: `${pause * 3600}s` });
          for (const { name } of pools) for (const warning of await expectAgreement(api, name)) seen.add(warning);
        }
      }),
    ),
    { numRuns: Math.ceil(STATES / BATCH), endOnFailure: true },
  );
  if (process.env.COMPARED_STATES) console.info([...seen]);
});
