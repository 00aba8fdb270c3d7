import {
  findUtilizationProblem,
  type PoolUpdate,
  parseBatchCreatePoolsRequest,
  parseCreatePoolRequest,
  parseExportPoolsRequest,
  parseGetPoolRequest,
  parseListPoolHistoryRequest,
  parseListPoolsRequest,
  parseUpdatePoolRequest,
} from "@calltrack/domain";
import {
  type PlanPoolUpdateRequest,
  PoolService,
  type UpdatePoolRequest,
} from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { POOL_HISTORY_PAGED_LIST } from "../../pool-management/pool-history.js";
import { POOL_SUMMARY_PAGED_LIST } from "../../pool-management/pool-summaries.js";
import {
  ACCOUNT_READ_METHOD,
  ACCOUNT_WRITE_METHOD,
  declareMethodRows,
  type ParseContext,
} from "../methods/method-row.js";
import { POOL_PAGED_LIST } from "./pool-list.js";
import { findPool } from "./pool-repository.js";

export const POOL_METHODS = declareMethodRows(PoolService, {
  createPool: { ...ACCOUNT_WRITE_METHOD, isIdempotent: true, audits: "pool", parse: parseCreatePoolRequest },
  batchCreatePools: {
    ...ACCOUNT_WRITE_METHOD,
    isBatch: true,
    isIdempotent: true,
    audits: "pool",
    parse: (request) => ({ ...parseBatchCreatePoolsRequest(request), records: request.pools }),
  },
  getPool: { ...ACCOUNT_READ_METHOD, parse: parseGetPoolRequest },
  listPools: { namesEventCursor: true, ...ACCOUNT_READ_METHOD, list: POOL_PAGED_LIST, parse: parseListPoolsRequest },
  listPoolSummaries: { ...ACCOUNT_READ_METHOD, list: POOL_SUMMARY_PAGED_LIST, parse: parseListPoolsRequest },
  exportPools: { namesEventCursor: true, ...ACCOUNT_READ_METHOD, parse: parseExportPoolsRequest },
  updatePool: { ...ACCOUNT_WRITE_METHOD, isConditional: true, audits: "pool", parse: parsePoolChange },
  planPoolUpdate: { ...ACCOUNT_READ_METHOD, parse: parsePoolChange },
  explainPool: { ...ACCOUNT_READ_METHOD, parse: parseGetPoolRequest },
  listPoolHistory: { ...ACCOUNT_READ_METHOD, list: POOL_HISTORY_PAGED_LIST, parse: parseListPoolHistoryRequest },
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
): Promise<PoolUpdate> {
  const { accountId = "", poolId = "", utilization } = request;
  const inRange = utilization === undefined || findUtilizationProblem(utilization) === undefined;
  // No account handle contains a NUL character, and PostgreSQL rejects text that contains one.
  if (inRange || accountId.includes("\0")) return parseUpdatePoolRequest(request);
  const account = await accounts.find(accountId);
  const pool = account && (await findPool(db, account, poolId));
  return parseUpdatePoolRequest(request, pool?.poolType);
}
