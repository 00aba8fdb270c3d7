import { create } from "@bufbuild/protobuf";
import {
  DomainError,
  type PoolChange,
  parseBatchCreatePools,
  parseCreatePool,
  parseExportPools,
  parseGetPool,
  parseListPoolHistory,
  parseListPools,
  parseUpdatePool,
  utilizationProblem,
} from "@calltrack/domain";
import {
  BatchCreatePoolsResponseSchema,
  type CreatePoolRequest,
  CreatePoolRequestSchema,
  ListPoolHistoryResponseSchema,
  ListPoolSummariesResponseSchema,
  ListPoolsResponseSchema,
  type PlanPoolUpdateRequest,
  type PoolRecord,
  PoolService,
  type UpdatePoolRequest,
} from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import type { Executor } from "@calltrack/postgres";
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountDirectory } from "../../access/account-directory.js";
import { changeOriginOf } from "../../access/change-origin.js";
import { createRequestKey } from "../../access/create-request-key.js";
import type { Config } from "../../config/config.js";
import { parseEtagCondition, requireEtagMatch } from "../../database/etag-condition.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import { readBatches, readPage } from "../../database/page.js";
import type { PassRunner } from "../../pool-management/pass-runner.js";
import { explainPool } from "../../pool-management/pool-explanation.js";
import { listPoolHistory, POOL_HISTORY } from "../../pool-management/pool-history.js";
import { planPoolUpdate } from "../../pool-management/pool-plan.js";
import { listPoolSummaries, POOL_SUMMARIES } from "../../pool-management/pool-summaries.js";
import { createValid, summarizeBatch } from "../batches/batch-results.js";
import { createPoolCreator } from "./pool-creator.js";
import { listPools, POOLS } from "./pool-list.js";
import { findPool, requirePool, updatePool } from "./pool-repository.js";

/** Creates the implementation of PoolService. */
export function createPoolService(
  database: DatabaseAccess,
  accounts: AccountDirectory,
  { unregisteredNumbers }: Pick<Config, "unregisteredNumbers">,
  runner: Pick<PassRunner, "wake" | "tools">,
): ServiceImpl<typeof PoolService> {
  const { db } = database;
  const creator = createPoolCreator(database, unregisteredNumbers);
  return {
    async createPool(request, context) {
      const wanted = parseCreatePool(request);
      const account = await accounts.require(wanted.account);
      const key = createRequestKey(wanted.requestId, request, context, account.accountId);
      const pool = await creator.create({ account, pool: wanted, origin: changeOriginOf(context), key });
      runner.wake();
      return pool;
    },

    async batchCreatePools(request, context) {
      const parsed = parseBatchCreatePools(request);
      const account = await accounts.require(parsed.account);
      const origin = changeOriginOf(context);
      const keyContext = { method: PoolService.method.createPool, values: context.values };
      const wanted = parsed.pools.map((pool, index) => {
        if (pool instanceof DomainError) return pool;
        const single = createRequestOf(request.pools[index] as PoolRecord, parsed.account);
        const key = createRequestKey(pool.requestId, single, keyContext, account.accountId);
        return { account, pool, origin, key };
      });
      const results = await createValid(wanted, creator.createAll);
      const summary = summarizeBatch(results);
      if (summary.created > 0) runner.wake();
      const poolIds = results.map((result) => (result instanceof DomainError ? "" : result.response.id));
      return create(BatchCreatePoolsResponseSchema, { ...summary, poolIds });
    },

    async getPool(request) {
      const { account, poolId } = parseGetPool(request);
      return requirePool(db, await accounts.require(account), poolId);
    },

    async listPools(request) {
      const { account, page } = parseListPools(request);
      const { entries, nextPageToken } = await readPage(POOLS, page, async (bounds) => {
        const owner = await accounts.require(account);
        return { owner: String(owner.accountId), entries: await listPools(db, owner, bounds) };
      });
      return create(ListPoolsResponseSchema, { pools: entries, nextPageToken });
    },

    async listPoolSummaries(request) {
      const { account, page } = parseListPools(request);
      const { entries, nextPageToken } = await readPage(POOL_SUMMARIES, page, async (bounds) => {
        const owner = await accounts.require(account);
        return { owner: String(owner.accountId), entries: await listPoolSummaries(db, owner, bounds) };
      });
      return create(ListPoolSummariesResponseSchema, { poolSummaries: entries, nextPageToken });
    },

    async *exportPools(request, { signal }) {
      const account = await accounts.require(parseExportPools(request).account);
      for await (const pools of readBatches(POOLS, signal, (bounds) => listPools(db, account, bounds))) yield* pools;
    },

    async updatePool(request, context) {
      const change = await readPoolChange(db, accounts, request);
      const { poolId, areaCode, size, utilization } = change;
      const condition = parseEtagCondition(request);
      const account = await accounts.require(change.account);
      const isEmpty = areaCode === undefined && size === undefined && utilization === undefined;
      for (;;) {
        const updated = isEmpty ? undefined : await updatePool(db, account, change, condition, changeOriginOf(context));
        if (updated !== undefined) {
          runner.wake();
          return updated;
        }
        const pool = await requirePool(db, account, poolId);
        requireEtagMatch(condition, pool);
        if (isEmpty) return pool;
      }
    },

    async planPoolUpdate(request) {
      return planPoolUpdate(db, accounts, runner.tools, await readPoolChange(db, accounts, request));
    },

    async explainPool(request) {
      const { account, poolId } = parseGetPool(request);
      return explainPool(db, runner.tools, await accounts.require(account), poolId);
    },

    async listPoolHistory(request) {
      const { account, poolId, page } = parseListPoolHistory(request);
      const { entries, nextPageToken } = await readPage(POOL_HISTORY, page, async (bounds) => {
        const found = await listPoolHistory(db, await accounts.require(account), poolId, bounds);
        if (found === undefined) throw new DomainError("POOL_NOT_FOUND", { poolId });
        return found;
      });
      return create(ListPoolHistoryResponseSchema, { changes: entries.map(({ change }) => change), nextPageToken });
    },
  };
}

/**
 * Parses the change of a pool from a request. Looks up the pool only if the utilization is out of range: that is
 * invalid for automanaged pools, but ignored for manual ones.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export async function readPoolChange(
  db: Executor,
  accounts: AccountDirectory,
  request: UpdatePoolRequest | PlanPoolUpdateRequest,
): Promise<PoolChange> {
  const { accountId = "", poolId = "", utilization } = request;
  const inRange = utilization === undefined || utilizationProblem(utilization) === undefined;
  // No handle contains a NUL, and PostgreSQL rejects text with one.
  if (inRange || accountId.includes("\0")) return parseUpdatePool(request);
  const account = await accounts.find(accountId);
  const pool = account && (await findPool(db, account, poolId));
  return parseUpdatePool(request, pool?.poolType);
}

/** Returns the request that creates a record of a batch alone, so that both methods share its key. */
function createRequestOf(record: PoolRecord, accountId: string): CreatePoolRequest {
  const { $typeName: _, $unknown, ...fields } = record;
  return create(CreatePoolRequestSchema, { ...fields, accountId });
}
