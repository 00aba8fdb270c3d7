import { parseAccountReference } from "./account.js";
import { FieldCheck } from "./field-check.js";
import {
  type CreatePoolRequest,
  type ExplainPoolRequest,
  type ExportPoolsRequest,
  type GetPoolRequest,
  type ListPoolHistoryRequest,
  type ListPoolsRequest,
  type PlanPoolUpdateRequest,
  PoolType,
  type UpdatePoolRequest,
} from "./gen/calltracking/v1/pool_pb.js";
import { type PageRequest, parsePage } from "./page.js";
import { parseRequestId } from "./request-id.js";
import { areaCodeProblem, phoneNumberProblem } from "./telephony.js";
import { descriptionProblem, referenceProblem, tokenProblem } from "./text.js";

const LARGEST_POOL = 10_000;

/** A pool to be created. */
export interface NewPool {
  /** The account's token or id. */
  readonly account: string;
  readonly originalNumber: string;
  readonly areaCode: string;
  readonly description: string | undefined;
  readonly isDni: boolean;
  readonly isPrompted: boolean;
  readonly isRecorded: boolean;
  readonly poolType: PoolType.MANUAL | PoolType.AUTOMANAGED;
  readonly propertyToken: string | undefined;
  readonly size: number;
  /** Undefined for a manual pool. */
  readonly utilization: number | undefined;
  readonly requestId: string | undefined;
}

/** A change of a pool; what is undefined stays as it is. */
export interface PoolChange {
  /** The account's token or id. */
  readonly account: string;
  readonly poolId: string;
  readonly areaCode: string | undefined;
  readonly size: number | undefined;
  /** Ignored, whatever its value, if the pool is manual. */
  readonly utilization: number | undefined;
}

/**
 * The pool to create. An automanaged pool needs a property and a utilization; a manual pool's utilization is ignored,
 * whatever its value.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseCreatePool(request: CreatePoolRequest): NewPool {
  const check = new FieldCheck();
  const automanaged = request.poolType === PoolType.AUTOMANAGED;
  const propertyToken = request.propertyToken || undefined;
  return check.done({
    account: parseAccountReference(check, request),
    originalNumber: check.required("original_number", request.originalNumber, phoneNumberProblem),
    areaCode: check.required("area_code", request.areaCode, areaCodeProblem),
    description: check.optional("description", request.description, descriptionProblem),
    isDni: check.required("is_dni", request.isDni, anyValue),
    isPrompted: check.required("is_prompted", request.isPrompted, anyValue),
    isRecorded: check.required("is_recorded", request.isRecorded, anyValue),
    poolType: check.required("pool_type", request.poolType, poolTypeProblem) as NewPool["poolType"],
    propertyToken: automanaged
      ? requiredIfAutomanaged(check, "property_token", propertyToken, tokenProblem)
      : check.optional("property_token", propertyToken, tokenProblem),
    size: check.required("size", request.size, sizeProblem),
    utilization: automanaged
      ? requiredIfAutomanaged(check, "utilization", request.utilization, utilizationProblem)
      : undefined,
    requestId: parseRequestId(check, request),
  });
}

/**
 * The account and the id of the pool to read or to explain. An id that is no UUID is one that no pool has.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseGetPool(request: GetPoolRequest | ExplainPoolRequest): {
  readonly account: string;
  readonly poolId: string;
} {
  const check = new FieldCheck();
  return check.done({
    account: parseAccountReference(check, request),
    poolId: check.required("pool_id", request.poolId, referenceProblem),
  });
}

/**
 * The account and the part of its pools to read.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseListPools(request: ListPoolsRequest): { readonly account: string; readonly page: PageRequest } {
  const check = new FieldCheck();
  return check.done({ account: parseAccountReference(check, request), page: parsePage(check, request) });
}

/**
 * The pool and the part of its history to read.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseListPoolHistory(request: ListPoolHistoryRequest): {
  readonly account: string;
  readonly poolId: string;
  readonly page: PageRequest;
} {
  const check = new FieldCheck();
  return check.done({
    account: parseAccountReference(check, request),
    poolId: check.required("pool_id", request.poolId, referenceProblem),
    page: parsePage(check, request),
  });
}

/**
 * The account whose pools to export.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseExportPools(request: ExportPoolsRequest): { readonly account: string } {
  const check = new FieldCheck();
  return check.done({ account: parseAccountReference(check, request) });
}

/**
 * The change of a pool. The range of `utilization` holds only for an automanaged pool: it is checked if the pool is known
 * to be one, and left for later if its type is not known yet.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseUpdatePool(request: UpdatePoolRequest | PlanPoolUpdateRequest, poolType?: PoolType): PoolChange {
  const check = new FieldCheck();
  return check.done({
    account: parseAccountReference(check, request),
    poolId: check.required("pool_id", request.poolId, referenceProblem),
    areaCode: check.optional("area_code", request.areaCode, areaCodeProblem),
    size: check.optional("size", request.size, sizeProblem),
    utilization: check.optional(
      "utilization",
      request.utilization,
      poolType === PoolType.AUTOMANAGED ? utilizationProblem : anyValue,
    ),
  });
}

/** The rule of an automanaged pool's utilization: 0 to 1, both included. */
export function utilizationProblem(utilization: number): string | undefined {
  return utilization >= 0 && utilization <= 1 ? undefined : "must be between 0 and 1";
}

function sizeProblem(size: number): string | undefined {
  return size >= 1 && size <= LARGEST_POOL ? undefined : `must be between 1 and ${LARGEST_POOL}`;
}

function poolTypeProblem(poolType: PoolType): string | undefined {
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
