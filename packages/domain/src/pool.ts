import { parseAccountReference } from "./account.js";
import { DomainError } from "./domain-error.js";
import { FieldCheck } from "./field-check.js";
import {
  type BatchCreatePoolsRequest,
  type CreatePoolRequest,
  type ExplainPoolRequest,
  type ExportPoolsRequest,
  type GetPoolRequest,
  type ListPoolHistoryRequest,
  type ListPoolSummariesRequest,
  type ListPoolsRequest,
  type PlanPoolUpdateRequest,
  type PoolRecord,
  PoolType,
  type UpdatePoolRequest,
} from "./gen/calltracking/v1/pool_pb.js";
import { parsePagination } from "./pagination.js";
import { findBatchItemRequestIdProblem, parseRequestId } from "./request-id.js";
import { findAreaCodeProblem, findPhoneNumberProblem } from "./telephony.js";
import { findDescriptionProblem, findLookupKeyProblem, findTokenProblem } from "./text.js";

const MAX_BATCH_SIZE = 1000;

export const MAX_POOL_SIZE = 10_000;

export type NewPool = ReturnType<typeof parseCreatePoolRequest>;

/** An update of a pool. A field that is undefined keeps its value. */
export type PoolUpdate = ReturnType<typeof parseUpdatePoolRequest>;

/**
 * Requires a property and a utilization for an automanaged pool. Ignores the utilization of a manual pool, even if it is out of range. Throws
 * DomainError `FIELD_INVALID`.
 */
export function parseCreatePoolRequest(request: CreatePoolRequest) {
  const check = new FieldCheck();
  const account = parseAccountReference(check, request);
  return check.done({ account, ...readPool(check, request), requestId: parseRequestId(check, request) });
}

/**
 * Returns the account, the `request_id` and the records of the batch, in order. Each record is either the pool to create, or the error that rejects
 * the record.
 *
 * @throws DomainError `FIELD_INVALID` if the account or the `request_id` is invalid, or if the batch is empty or too large.
 */
export function parseBatchCreatePoolsRequest(request: BatchCreatePoolsRequest) {
  const check = new FieldCheck();
  const account = parseAccountReference(check, request);
  const { length } = request.pools;
  if (length < 1 || length > MAX_BATCH_SIZE) {
    check.report("pools", `must contain 1 to ${MAX_BATCH_SIZE} records, not ${length}`);
  }
  const batch = check.done({ account, requestId: parseRequestId(check, request) });
  return {
    ...batch,
    pools: request.pools.map((record): NewPool | DomainError => {
      const recordCheck = new FieldCheck();
      const requestId = parseRequestId(recordCheck, record, findBatchItemRequestIdProblem);
      const pool = { account, ...readPool(recordCheck, record), requestId };
      const { violations } = recordCheck;
      return violations.length === 0 ? pool : new DomainError("FIELD_INVALID", { violations });
    }),
  };
}

function readPool(check: FieldCheck, request: CreatePoolRequest | PoolRecord) {
  const automanaged = request.poolType === PoolType.AUTOMANAGED;
  const propertyToken = request.propertyToken || undefined;
  return {
    originalNumber: check.required("original_number", request.originalNumber, findPhoneNumberProblem),
    areaCode: check.required("area_code", request.areaCode, findAreaCodeProblem),
    description: check.optional("description", request.description, findDescriptionProblem),
    isDni: check.required("is_dni", request.isDni, anyValue),
    isPrompted: check.required("is_prompted", request.isPrompted, anyValue),
    isRecorded: check.required("is_recorded", request.isRecorded, anyValue),
    poolType: check.required("pool_type", request.poolType, findPoolTypeProblem) as
      | PoolType.MANUAL
      | PoolType.AUTOMANAGED,
    propertyToken: automanaged
      ? requiredIfAutomanaged(check, "property_token", propertyToken, findTokenProblem)
      : check.optional("property_token", propertyToken, findTokenProblem),
    size: check.required("size", request.size, findSizeProblem),
    /** Undefined for a manual pool. */
    utilization: automanaged
      ? requiredIfAutomanaged(check, "utilization", request.utilization, findUtilizationProblem)
      : undefined,
  };
}

/** Accepts an id that is not a UUID, although no pool has such an id. Throws DomainError `FIELD_INVALID`. */
export function parseGetPoolRequest(request: GetPoolRequest | ExplainPoolRequest) {
  const check = new FieldCheck();
  return check.done(parsePoolReference(check, request));
}

/** @throws DomainError `FIELD_INVALID` */
export function parseListPoolsRequest(request: ListPoolsRequest | ListPoolSummariesRequest) {
  const check = new FieldCheck();
  return check.done({ account: parseAccountReference(check, request), page: parsePagination(check, request) });
}

/** @throws DomainError `FIELD_INVALID` */
export function parseListPoolHistoryRequest(request: ListPoolHistoryRequest) {
  const check = new FieldCheck();
  return check.done({ ...parsePoolReference(check, request), page: parsePagination(check, request) });
}

/** @throws DomainError `FIELD_INVALID` */
export function parseExportPoolsRequest(request: ExportPoolsRequest): { readonly account: string } {
  const check = new FieldCheck();
  return check.done({ account: parseAccountReference(check, request) });
}

/**
 * @param poolType the type of the pool; undefined if unknown. `utilization` must be in range only if the pool is known to be automanaged.
 * @throws DomainError `FIELD_INVALID`
 */
export function parseUpdatePoolRequest(request: UpdatePoolRequest | PlanPoolUpdateRequest, poolType?: PoolType) {
  const check = new FieldCheck();
  return check.done({
    ...parsePoolReference(check, request),
    areaCode: check.optional("area_code", request.areaCode, findAreaCodeProblem),
    size: check.optional("size", request.size, findSizeProblem),
    /** Has no effect on a manual pool. */
    utilization: check.optional(
      "utilization",
      request.utilization,
      poolType === PoolType.AUTOMANAGED ? findUtilizationProblem : anyValue,
    ),
  });
}

/** Reads the required fields `account_id` and `pool_id`. The field `account_id` contains a token or an id. */
export function parsePoolReference(
  check: FieldCheck,
  request: Partial<Record<"accountId" | "poolId", string | undefined>>,
) {
  return {
    account: parseAccountReference(check, request),
    poolId: check.required("pool_id", request.poolId, findLookupKeyProblem),
  };
}

/** The rule for the utilization of an automanaged pool: 0 to 1, inclusive. */
export function findUtilizationProblem(utilization: number): string | undefined {
  return utilization >= 0 && utilization <= 1 ? undefined : "must be between 0 and 1";
}

function findSizeProblem(size: number): string | undefined {
  return size >= 1 && size <= MAX_POOL_SIZE ? undefined : `must be between 1 and ${MAX_POOL_SIZE}`;
}

function findPoolTypeProblem(poolType: PoolType): string | undefined {
  return poolType === PoolType.MANUAL || poolType === PoolType.AUTOMANAGED
    ? undefined
    : "must be manual or automanaged";
}

function anyValue(): undefined {
  return undefined;
}

function requiredIfAutomanaged<T>(
  check: FieldCheck,
  field: string,
  value: T | undefined,
  rule: (value: T) => string | undefined,
): T | undefined {
  check.report(field, value === undefined ? "is required for an automanaged pool" : rule(value));
  return value;
}
