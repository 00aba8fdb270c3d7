import type { DescMethod, Message, MessageShape } from "@bufbuild/protobuf";
import type { ApiMethods } from "@calltrack/domain";
import {
  DomainError,
  type FieldViolation,
  parseAddTrackingNumbers,
  parseAdvanceClock,
  parseApiKeyName,
  parseCallTrackerName,
  parseCountTrackingNumbers,
  parseCreateAccount,
  parseCreateApiKey,
  parseCreatePhoneNumber,
  parseCreatePool,
  parseExportPools,
  parseGetAccount,
  parseGetPhoneNumber,
  parseGetPool,
  parseListAccounts,
  parseListApiKeys,
  parseListAuditEntries,
  parseListCallTrackers,
  parseListPhoneNumbers,
  parseListPoolHistory,
  parseListPools,
  parseListTrackingNumbers,
  parseRecordVisits,
  parseReportVisit,
  parseResolveCall,
  parseResolveNumbers,
  parseRetireTrackingNumber,
  parseUpdateAccount,
  parseUpdateCallTracker,
} from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import type { AccountDirectory } from "../access/account-directory.js";
import { EARLIEST_DATE } from "./api-keys/api-key-service.js";
import { readPoolChange } from "./pools/pool-service.js";

/** Disables the check for times in the future, which depends on the current time. */
const LATEST_DATE = new Date(8.64e15);

type Reader = (request: never, db: Executor, accounts: AccountDirectory) => unknown;

/** For each method of the API, the parser of its request, which throws for invalid fields. */
const readers: {
  readonly [M in keyof ApiMethods]: (
    request: MessageShape<ApiMethods[M]["input"]>,
    db: Executor,
    accounts: AccountDirectory,
  ) => unknown;
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
  updatePool: (request, db, accounts) => readPoolChange(db, accounts, request),
  planPoolUpdate: (request, db, accounts) => readPoolChange(db, accounts, request),
  explainPool: parseGetPool,
  listPoolHistory: parseListPoolHistory,
  getCallTracker: parseCallTrackerName,
  listCallTrackers: parseListCallTrackers,
  updateCallTracker: parseUpdateCallTracker,
  flagCallTracker: parseCallTrackerName,
  addTrackingNumbers: parseAddTrackingNumbers,
  importTrackingNumbers: parseAddTrackingNumbers,
  listTrackingNumbers: parseListTrackingNumbers,
  countTrackingNumbers: parseCountTrackingNumbers,
  retireTrackingNumber: parseRetireTrackingNumber,
  recordVisits: (request) => parseRecordVisits(request, LATEST_DATE),
  resolveNumbers: parseResolveNumbers,
  reportVisit: parseReportVisit,
  resolveCall: parseResolveCall,
  getClock: () => {},
  advanceClock: parseAdvanceClock,
  createApiKey: (request) => parseCreateApiKey(request, EARLIEST_DATE),
  getApiKey: parseApiKeyName,
  listApiKeys: parseListApiKeys,
  revokeApiKey: parseApiKeyName,
  listAuditEntries: parseListAuditEntries,
};

/**
 * Returns the domain's violations of a request that could be decoded only in part, so that one error lists all
 * problems.
 */
export async function findRequestViolations(
  db: Executor,
  accounts: AccountDirectory,
  method: DescMethod,
  request: Message,
): Promise<readonly FieldViolation[]> {
  const read = (readers as Readonly<Record<string, Reader | undefined>>)[method.localName];
  // Health and reflection accept every message.
  if (read === undefined) return [];
  try {
    await read(request as never, db, accounts);
    return [];
  } catch (error) {
    if (error instanceof DomainError && error.is("FIELD_INVALID")) return error.facts.violations;
    throw error;
  }
}
