import { create } from "@bufbuild/protobuf";
import {
  DomainError,
  type PoolChange,
  parseCreatePool,
  parseExportPools,
  parseGetPool,
  parseListPoolHistory,
  parseListPools,
  parseUpdatePool,
  parseUuid,
  utilizationProblem,
} from "@calltrack/domain";
import {
  ListPoolHistoryResponseSchema,
  ListPoolSummariesResponseSchema,
  ListPoolsResponseSchema,
  type PlanPoolUpdateRequest,
  type Pool,
  type PoolService,
  type UpdatePoolRequest,
} from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { type BatchLimits, batchCalls, type Executor } from "@calltrack/postgres";
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountDirectory, ResolvedAccount } from "../../access/account-directory.js";
import { changeOriginOf } from "../../access/change-origin.js";
import type { Config, UnregisteredNumbers } from "../../config/config.js";
import { type EtagCondition, parseEtagCondition, requireEtagMatch } from "../../database/etag-condition.js";
import { createOnce } from "../../database/idempotency/create-once.js";
import { createRequestKey, type RequestKey } from "../../database/idempotency/request-key.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import { pagedListById, readPage } from "../../database/page.js";
import type { ChangeOrigin } from "../../database/tables/schema.js";
import type { PassRunner } from "../../pool-management/pass-runner.js";
import { explainPool } from "../../pool-management/pool-explanation.js";
import { listPoolHistory, POOL_HISTORY } from "../../pool-management/pool-history.js";
import { planPoolUpdate } from "../../pool-management/pool-plan.js";
import { listPoolSummaries, POOL_SUMMARIES } from "../../pool-management/pool-summaries.js";
import { isTrackingNumberViolation } from "../phone-numbers/phone-number-service.js";
import {
  findPool,
  findPoolPrerequisites,
  insertPoolAndPhoneNumber,
  insertPools,
  listPools,
  type PoolToInsert,
  updatePool,
} from "./pool-repository.js";

const POOLS = pagedListById<Pool>("pools");

const EXPORT_BATCH = 1000;

/** Two concurrent batches: one can be prepared while the other waits for the disk. */
const CREATION_BATCH: BatchLimits = { concurrency: 2, calls: 64 };

/** Creates the implementation of PoolService. */
export function createPoolService(
  database: DatabaseAccess,
  accounts: AccountDirectory,
  { unregisteredNumbers }: Pick<Config, "unregisteredNumbers">,
  runner: Pick<PassRunner, "wake" | "tools">,
): ServiceImpl<typeof PoolService> {
  const { db, reads } = database;
  const insertion = poolInsertion(database, unregisteredNumbers);
  return {
    async createPool(request, context) {
      const wanted = parseCreatePool(request);
      const account = await accounts.require(wanted.account);
      const key = createRequestKey(wanted.requestId, request, context, account.accountId);
      const pool = await createPool(db, { account, pool: wanted, origin: changeOriginOf(context) }, insertion, key);
      runner.wake();
      return pool;
    },

    async getPool(request) {
      const { account, poolId } = parseGetPool(request);
      return requirePool(reads, await accounts.require(account), poolId);
    },

    async listPools(request) {
      const { account, page } = parseListPools(request);
      const { entries, nextPageToken } = await readPage(POOLS, page, async (bounds) => {
        const owner = await accounts.require(account);
        return { owner: String(owner.accountId), entries: await listPools(reads, owner, bounds) };
      });
      return create(ListPoolsResponseSchema, { pools: entries, nextPageToken });
    },

    async listPoolSummaries(request) {
      const { account, page } = parseListPools(request);
      const { entries, nextPageToken } = await readPage(POOL_SUMMARIES, page, async (bounds) => {
        const owner = await accounts.require(account);
        return { owner: String(owner.accountId), entries: await listPoolSummaries(reads, owner, bounds) };
      });
      return create(ListPoolSummariesResponseSchema, { poolSummaries: entries, nextPageToken });
    },

    exportPools: (request, { signal }) => exportPools(reads, accounts, parseExportPools(request).account, signal),

    async updatePool(request, context) {
      const change = await readPoolChange(db, accounts, request);
      const pool = await changePool(db, accounts, change, parseEtagCondition(request), changeOriginOf(context));
      runner.wake();
      return pool;
    },

    async planPoolUpdate(request) {
      return planPoolUpdate(reads, accounts, runner.tools, await readPoolChange(db, accounts, request));
    },

    async explainPool(request) {
      const { account, poolId } = parseGetPool(request);
      return explainPool(reads, runner.tools, await accounts.require(account), poolId);
    },

    async listPoolHistory(request) {
      const { account, poolId, page } = parseListPoolHistory(request);
      const { entries, nextPageToken } = await readPage(POOL_HISTORY, page, async (bounds) => {
        const found = await listPoolHistory(reads, await accounts.require(account), poolId, bounds);
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
  const pool = account && (await findPool(db, account, parseUuid(poolId)));
  return parseUpdatePool(request, pool?.poolType);
}

/** Ways to insert a pool; see `insertPools`. */
interface PoolInsertion {
  /** Inserts a pool in a batch with concurrent requests. */
  readonly insert: (pool: PoolToInsert) => Promise<Pool | undefined>;
  /** Inserts a pool within a transaction. */
  readonly insertWithin: (transaction: Executor, pool: PoolToInsert) => Promise<Pool | undefined>;
  /** Whether inserting also registers the original number. */
  readonly registers: boolean;
}

function poolInsertion(database: DatabaseAccess, unregisteredNumbers: UnregisteredNumbers): PoolInsertion {
  const { db } = database;
  if (unregisteredNumbers === "register") {
    const insert = (pool: PoolToInsert) => insertPoolAndPhoneNumber(db, pool);
    return { insert, insertWithin: insertPoolAndPhoneNumber, registers: true };
  }
  const keyOf = ({ account }: PoolToInsert) => (database.isDistributed ? account.accountId : undefined);
  const insert = batchCalls((pools: readonly PoolToInsert[]) => insertPools(db, pools), CREATION_BATCH, keyOf);
  const insertWithin = async (transaction: Executor, pool: PoolToInsert) => (await insertPools(transaction, [pool]))[0];
  return { insert, insertWithin, registers: false };
}

async function createPool(
  db: Executor,
  wanted: PoolToInsert,
  { insert, insertWithin, registers }: PoolInsertion,
  key: RequestKey | undefined,
): Promise<Pool> {
  const { account, pool } = wanted;
  const { originalNumber } = pool;
  for (;;) {
    const insertion =
      key === undefined ? insert(wanted) : createOnce(db, key, (transaction) => insertWithin(transaction, wanted));
    const created = await insertion.catch((error: unknown) => {
      if (!isTrackingNumberViolation(error)) throw error;
      throw new DomainError("PHONE_NUMBER_IS_TRACKING_NUMBER", { phoneNumber: originalNumber });
    });
    if (created !== undefined) return created;
    const found = await findPoolPrerequisites(db, account, originalNumber);
    if (!found.is_active) throw new DomainError("ACCOUNT_DISABLED", { account: pool.account });
    if (!found.is_registered && !registers) {
      throw new DomainError("PHONE_NUMBER_NOT_REGISTERED", { phoneNumber: originalNumber });
    }
    // Retry: another request has enabled the account or registered the number meanwhile.
  }
}

/**
 * Exports pools in batches. An open cursor would occupy a connection for as long as the client reads. The embedded
 * engine has only one connection.
 */
async function* exportPools(
  db: Executor,
  accounts: AccountDirectory,
  handle: string,
  signal: AbortSignal,
): AsyncIterable<Pool> {
  const account = await accounts.require(handle);
  let after: string | undefined;
  for (;;) {
    signal.throwIfAborted();
    const pools = await listPools(db, account, { after, limit: EXPORT_BATCH });
    yield* pools;
    after = pools[EXPORT_BATCH - 1]?.id;
    if (after === undefined) return;
  }
}

async function changePool(
  db: Executor,
  accounts: AccountDirectory,
  change: PoolChange,
  condition: EtagCondition,
  origin: ChangeOrigin,
): Promise<Pool> {
  const { poolId, areaCode, size, utilization } = change;
  const account = await accounts.require(change.account);
  const isEmpty = areaCode === undefined && size === undefined && utilization === undefined;
  for (;;) {
    const updated = isEmpty ? undefined : await updatePool(db, account, parseUuid(poolId), change, condition, origin);
    if (updated !== undefined) return updated;
    const pool = await requirePool(db, account, poolId);
    requireEtagMatch(condition, pool);
    if (isEmpty) return pool;
  }
}

async function requirePool(db: Executor, account: ResolvedAccount, poolId: string): Promise<Pool> {
  const found = await findPool(db, account, parseUuid(poolId));
  if (found === undefined) throw new DomainError("POOL_NOT_FOUND", { poolId });
  return found;
}
