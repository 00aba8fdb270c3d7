import { create, type JsonObject, toJson } from "@bufbuild/protobuf";
import { DomainError, parseUuid } from "@calltrack/domain";
import {
  BatchCreatePoolsResponseSchema,
  ListPoolHistoryResponseSchema,
  ListPoolSummariesResponseSchema,
  ListPoolsResponseSchema,
  type PoolRecord,
  PoolRecordSchema,
  PoolService,
} from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { createIdempotencyKey } from "../../access/create-idempotency-key.js";
import type { Config } from "../../config/config.js";
import { requireEtagMatch, updateIfEtagMatches } from "../../database/etag-condition.js";
import { createResourceOnce } from "../../database/idempotency/create-resource-once.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import { readListInBatches } from "../../database/page.js";
import type { PassRunner } from "../../pool-management/pass-runner.js";
import { readPoolExplanation } from "../../pool-management/pool-explanation.js";
import { listPoolHistory } from "../../pool-management/pool-history.js";
import { planPoolUpdate } from "../../pool-management/pool-plan.js";
import { listPoolSummaries } from "../../pool-management/pool-summaries.js";
import { createFromValidRecords, summarizeBatch } from "../batches/batch-results.js";
import type { ServiceImplementation } from "../methods/method-row.js";
import { createPoolCreator } from "./pool-creator.js";
import { listPools, POOL_PAGED_LIST } from "./pool-list.js";
import type { POOL_METHODS } from "./pool-methods.js";
import { requirePool, updatePool } from "./pool-repository.js";

export function createPoolService(
  database: DatabaseAccess,
  { unregisteredNumbers }: Pick<Config, "unregisteredNumbers">,
  runner: Pick<PassRunner, "wake" | "tools">,
): ServiceImplementation<typeof POOL_METHODS> {
  const { db } = database;
  const creator = createPoolCreator(database, unregisteredNumbers);
  return {
    async createPool(wanted, { account, origin, key }) {
      const pool = await creator.create({ account, pool: wanted, origin, key });
      runner.wake();
      return pool;
    },

    async batchCreatePools(batch, { account, origin, key: batchKey, context }) {
      // Reserves the `request_id` of the batch. The created pools are stored under the idempotency keys of the batch's records.
      if (batchKey !== undefined)
        await createResourceOnce(db, batchKey, async () => create(BatchCreatePoolsResponseSchema));
      const keyContext = { method: PoolService.method.createPool, values: context.values };
      const wanted = batch.pools.map((pool, index) => {
        if (pool instanceof DomainError) return pool;
        // The fields of the equivalent CreatePool request, so that CreatePool and BatchCreatePools compute the same idempotency key for the record.
        const readFields = () => ({
          accountId: batch.account,
          ...(toJson(PoolRecordSchema, batch.records[index] as PoolRecord) as JsonObject),
        });
        // Ids from requests contain no line break, so this id cannot equal an id from a request.
        const requestId = pool.requestId ?? (batchKey && `${batchKey.requestId}\n${index}`);
        const key = createIdempotencyKey(requestId, readFields, keyContext, account.accountId);
        return { account, pool, origin, key };
      });
      const results = (await createFromValidRecords(wanted, creator.createAll)).map((result, index) => {
        const isOfBatch = batchKey !== undefined && batch.records[index]?.requestId === undefined;
        // A retried batch counts its pools as created, as its first response did.
        return isOfBatch && !(result instanceof DomainError) ? { ...result, isNew: true } : result;
      });
      const summary = summarizeBatch(results);
      if (summary.created > 0) runner.wake();
      const poolIds = results.map((result) => (result instanceof DomainError ? "" : result.response.id));
      return create(BatchCreatePoolsResponseSchema, { ...summary, poolIds });
    },

    getPool: ({ poolId }, { account }) => requirePool(db, account, poolId),

    async listPools(_, { account, readPage }) {
      const { entries, nextPageToken } = await readPage(String(account.accountId), (bounds) =>
        listPools(db, account, bounds),
      );
      return create(ListPoolsResponseSchema, { pools: entries, nextPageToken });
    },

    async listPoolSummaries(_, { account, readPage }) {
      const { entries, nextPageToken } = await readPage(String(account.accountId), (bounds) =>
        listPoolSummaries(db, account, bounds),
      );
      return create(ListPoolSummariesResponseSchema, { poolSummaries: entries, nextPageToken });
    },

    async *exportPools(_, { account, context: { signal } }) {
      for await (const pools of readListInBatches(POOL_PAGED_LIST, signal, (bounds) => listPools(db, account, bounds)))
        yield* pools;
    },

    async updatePool(change, { account, condition, origin }) {
      const { poolId, areaCode, size, utilization } = change;
      const find = () => requirePool(db, account, poolId);
      if (areaCode === undefined && size === undefined && utilization === undefined) {
        const pool = await find();
        requireEtagMatch(condition, pool);
        return pool;
      }
      const updated = await updateIfEtagMatches(
        condition,
        () => updatePool(db, account, change, condition, origin),
        find,
      );
      runner.wake();
      return updated;
    },

    planPoolUpdate: (change, { account }) => planPoolUpdate(db, account, runner.tools, change),

    explainPool: ({ poolId }, { account }) => readPoolExplanation(db, runner.tools, account, poolId),

    async listPoolHistory({ poolId }, { account, readPage }) {
      const { entries, nextPageToken } = await readPage(parseUuid(poolId) ?? "", async (bounds) => {
        const found = await listPoolHistory(db, account, poolId, bounds);
        if (found === undefined) throw new DomainError("POOL_NOT_FOUND", { poolId });
        return found;
      });
      return create(ListPoolHistoryResponseSchema, { changes: entries.map(({ change }) => change), nextPageToken });
    },
  };
}
