import type { DescMethod, Message, MessageShape } from "@bufbuild/protobuf";
import {
  DomainError,
  type FieldViolation,
  parseCreateAccount,
  parseCreatePhoneNumber,
  parseCreatePool,
  parseExportPools,
  parseGetAccount,
  parseGetPhoneNumber,
  parseGetPool,
  parseListAccounts,
  parseListPhoneNumbers,
  parseListPools,
  parseUpdateAccount,
} from "@calltrack/domain";
import type { AccountService } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import type { PhoneNumberService } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import type { PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { readPoolChange } from "./pools/pool-service.js";
import type { Executor } from "./storage/prepared-statement.js";

type Methods = (typeof AccountService)["method"] &
  (typeof PhoneNumberService)["method"] &
  (typeof PoolService)["method"];

/** For each method of the API, the reading of its request that throws for what is wrong with it. */
const readers: {
  readonly [M in keyof Methods]: (request: MessageShape<Methods[M]["input"]>, db: Executor) => unknown;
} = {
  createAccount: parseCreateAccount,
  getAccount: parseGetAccount,
  listAccounts: parseListAccounts,
  updateAccount: parseUpdateAccount,
  createPhoneNumber: parseCreatePhoneNumber,
  getPhoneNumber: parseGetPhoneNumber,
  listPhoneNumbers: parseListPhoneNumbers,
  createPool: parseCreatePool,
  getPool: parseGetPool,
  listPools: parseListPools,
  exportPools: parseExportPools,
  updatePool: (request, db) => readPoolChange(db, request),
};

/**
 * What the rules of the domain find wrong with a request of which some fields could not even be decoded, so that one error
 * names everything.
 */
export async function checkRequest(
  db: Executor,
  method: DescMethod,
  request: Message,
): Promise<readonly FieldViolation[]> {
  const read = readers[method.localName as keyof Methods] as (request: Message, db: Executor) => unknown;
  try {
    await read(request, db);
    return [];
  } catch (error) {
    if (error instanceof DomainError && error.is("FIELD_INVALID")) return error.facts.violations;
    throw error;
  }
}
