import {
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
  type PlanPoolUpdateRequest,
  PoolService,
  type UpdatePoolRequest,
} from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { POOL_HISTORY } from "../../pool-management/pool-history.js";
import { POOL_SUMMARIES } from "../../pool-management/pool-summaries.js";
import { describeMethods, type ParseContext, READS_ACCOUNT, WRITES_ACCOUNT } from "../methods/method-row.js";
import { POOLS } from "./pool-list.js";
import { findPool } from "./pool-repository.js";

export const POOL_METHODS = describeMethods(PoolService, {
  createPool: { ...WRITES_ACCOUNT, isIdempotent: true, audits: "pool", parse: parseCreatePool },
  batchCreatePools: {
    ...WRITES_ACCOUNT,
    isBatch: true,
    isIdempotent: true,
    audits: "pool",
    parse: (request) => ({ ...parseBatchCreatePools(request), records: request.pools }),
  },
  getPool: { ...READS_ACCOUNT, parse: parseGetPool },
  listPools: { namesEventCursor: true, ...READS_ACCOUNT, list: POOLS, parse: parseListPools },
  listPoolSummaries: { ...READS_ACCOUNT, list: POOL_SUMMARIES, parse: parseListPools },
  exportPools: { namesEventCursor: true, ...READS_ACCOUNT, parse: parseExportPools },
  updatePool: { ...WRITES_ACCOUNT, isConditional: true, audits: "pool", parse: parsePoolChange },
  planPoolUpdate: { ...READS_ACCOUNT, parse: parsePoolChange },
  explainPool: { ...READS_ACCOUNT, parse: parseGetPool },
  listPoolHistory: { ...READS_ACCOUNT, list: POOL_HISTORY, parse: parseListPoolHistory },
});

/**
 * Parses a change to a pool. Looks up the pool only if the utilization is out of range, which is invalid for automanaged pools but ignored
 * for manual ones.
 *
 * @throws DomainError `FIELD_INVALID`
 */
async function parsePoolChange(
  request: UpdatePoolRequest | PlanPoolUpdateRequest,
  { db, accounts }: ParseContext,
): Promise<PoolChange> {
  const { accountId = "", poolId = "", utilization } = request;
  const inRange = utilization === undefined || utilizationProblem(utilization) === undefined;
  // No handle contains a NUL, and PostgreSQL rejects text with one.
  if (inRange || accountId.includes("\0")) return parseUpdatePool(request);
  const account = await accounts.find(accountId);
  const pool = account && (await findPool(db, account, poolId));
  return parseUpdatePool(request, pool?.poolType);
}
