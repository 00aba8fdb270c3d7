import { RejectedRequestError } from "./pool-store.ts";

/** A request to create a pool, with the types that code generators declare. */
export interface CreatePoolRequest {
  readonly accountId?: string | undefined;
  readonly originalNumber?: string | undefined;
  readonly areaCode?: string | undefined;
  readonly description?: string | undefined;
  readonly isDni?: boolean | undefined;
  readonly isPrompted?: boolean | undefined;
  readonly isRecorded?: boolean | undefined;
  readonly poolType?: number | undefined;
  readonly propertyToken?: string | undefined;
  readonly size?: number | undefined;
  readonly utilization?: number | undefined;
}

/** The integer value in the proto enum. */
export const POOL_TYPE_MANUAL = 1;
/** The integer value in the proto enum. */
export const POOL_TYPE_AUTOMANAGED = 2;

const PHONE_NUMBER = /^\+[1-9][0-9]{6,14}$/;
const AREA_CODE = /^[0-9]{1,5}$/;
const TOKEN = /^[^\p{Z}\p{C}]{1,255}$/u;

/**
 * Validates a request. Returns the values for the parameters of `CREATE_POOL_STATEMENT`.
 *
 * @throws RejectedRequestError that names the first invalid field.
 */
export function parseCreatePoolParameters(request: CreatePoolRequest): unknown[] {
  const badField = findInvalidField(request);
  if (badField !== undefined) throw new RejectedRequestError("invalid argument", badField);
  const isManual = request.poolType === POOL_TYPE_MANUAL;
  return [
    request.accountId,
    request.originalNumber,
    request.areaCode,
    request.description ?? null,
    request.isDni,
    request.isPrompted,
    request.isRecorded,
    isManual ? "manual" : "automanaged",
    request.propertyToken ?? null,
    request.size,
    isManual ? null : request.utilization,
  ];
}

function findInvalidField(request: CreatePoolRequest): string | undefined {
  const { originalNumber = "", areaCode = "", description = "", poolType, propertyToken, size = 0 } = request;
  if (!request.accountId) return "account_id";
  if (!PHONE_NUMBER.test(originalNumber)) return "original_number";
  if (!AREA_CODE.test(areaCode)) return "area_code";
  if (description.length > 1000) return "description";
  if (request.isDni === undefined) return "is_dni";
  if (request.isPrompted === undefined) return "is_prompted";
  if (request.isRecorded === undefined) return "is_recorded";
  if (poolType !== POOL_TYPE_MANUAL && poolType !== POOL_TYPE_AUTOMANAGED) return "pool_type";
  if (size < 1 || size > 10_000) return "size";
  if (poolType === POOL_TYPE_AUTOMANAGED && !TOKEN.test(propertyToken ?? "")) return "property_token";
  if (propertyToken && !TOKEN.test(propertyToken)) return "property_token";
  if (poolType === POOL_TYPE_AUTOMANAGED && !isShare(request.utilization)) return "utilization";
  return undefined;
}

function isShare(value: number | undefined): boolean {
  return value !== undefined && value >= 0 && value <= 1;
}
