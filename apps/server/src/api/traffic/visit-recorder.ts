import { applySourceAliases, type ReportedVisit } from "@calltrack/domain";
import { type BatchLimits, createBatcher, type Executor } from "@calltrack/postgres";
import type { Logger } from "pino";
import type { AccountDirectory } from "../../access/account-directory.js";
import type { Config } from "../../config/config.js";
import { computeDueCheckIntervalMs } from "../../config/pool-rules.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import type { SourceAliasDirectory } from "./source-alias-directory.js";
import type { VisitBatch, VisitBatchResult } from "./visit-groups.js";
import { applyVisitEffects, DAILY_VISIT_LIMITS, recordVisits, type VisitEffects } from "./visit-repository.js";
import { findDniPoolStatement } from "./visit-statements.js";

/** Two concurrent batches: the server prepares one while the database counts the other. */
const RECORDING_BATCH: BatchLimits = { concurrency: 2, size: 16 };

/** Up to 64 counted batches share the statements of `applyVisitEffects`. */
const EFFECTS_BATCH: BatchLimits = { concurrency: 1, size: 64 };

/** The maximum number of counted batches with outstanding effects. Beyond it, visits wait to be counted, which bounds the memory. */
const MAX_OUTSTANDING = 2 * EFFECTS_BATCH.size;

export interface VisitRecorder {
  /** Counts visits of one account. Concurrent requests share a statement. See `recordVisits`. */
  readonly record: (batch: VisitBatch) => Promise<VisitBatchResult>;
  /** Waits until the effects of counted visits are applied: pools become due for a pass, and days that exceed a visit limit are pruned. */
  readonly settle: () => Promise<void>;
}

/**
 * Creates the visit recorder, which all services share. Requests do not wait for `applyVisitEffects`: it may take long for one account, and would
 * delay the visits of all other accounts. If the server stops or crashes before the effects are applied, pools become due for a pass at their next
 * visit, or at midnight.
 */
export function createVisitRecorder(
  database: DatabaseAccess,
  { hasVirtualClock, poolRules }: Pick<Config, "hasVirtualClock" | "poolRules">,
  log: Logger,
): VisitRecorder {
  const { db } = database;
  const rules = {
    visitWindowDays: poolRules.visitWindowDays,
    dueWithinMs: computeDueCheckIntervalMs(poolRules),
    ...DAILY_VISIT_LIMITS,
  };
  const keyOf = (accountId: number | undefined) => (database.isDistributed ? accountId : undefined);
  const apply = createBatcher(
    async (effects: readonly VisitEffects[]) => {
      await applyVisitEffects(db, effects, rules);
      return [];
    },
    EFFECTS_BATCH,
    ({ properties }) => keyOf(properties[0]?.accountId),
  );
  const applying = new Set<Promise<void>>();
  const settle = async () => void (await Promise.all(applying));

  function startApplying(effects: VisitEffects): void {
    const applied = apply(effects)
      .catch((error) =>
        log.warn({ err: error }, "could not make pools due after visits, or could not prune visit counts"),
      )
      .finally(() => applying.delete(applied));
    applying.add(applied);
  }

  const record = createBatcher(
    async (batches: readonly VisitBatch[]) => {
      const { results, effects } = await recordVisits(db, batches, rules);
      if (effects.properties.length > 0) startApplying(effects);
      return results;
    },
    RECORDING_BATCH,
    ({ accountId }) => keyOf(accountId),
  );
  async function recordInTurn(batch: VisitBatch): Promise<VisitBatchResult> {
    while (applying.size >= MAX_OUTSTANDING) await Promise.race(applying);
    return record(batch);
  }

  return {
    // With a virtual clock, visits wait for their effects, because passes run when a request advances the clock, possibly on another server.
    record: hasVirtualClock
      ? async (batch) => {
          const recorded = await recordInTurn(batch);
          await settle();
          return recorded;
        }
      : recordInTurn,
    settle,
  };
}

/**
 * Counts a visit that a web page reports, if the account is enabled and has a DNI pool on the property. Without this condition, anyone could
 * fill the table of visit counts with invented properties.
 *
 * @param now the time of the visit.
 */
export async function recordReportedVisit(
  db: Executor,
  accounts: AccountDirectory,
  aliases: SourceAliasDirectory,
  record: VisitRecorder["record"],
  { account, ...visit }: ReportedVisit,
  now: Date,
): Promise<void> {
  const accountId = (await accounts.find(account))?.accountId;
  if (accountId === undefined) return;
  const [pool] = await findDniPoolStatement(db, { accountId, propertyToken: visit.propertyToken });
  if (pool === undefined) return;
  const source = applySourceAliases(await aliases.find(accountId), visit);
  await record({ accountId, visits: [{ ...visit, ...source, count: 1, occurredAt: now }], now });
}
