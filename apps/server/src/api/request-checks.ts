import type { DescMethod, Message, MessageShape } from "@bufbuild/protobuf";
import type { ApiMethods } from "@calltrack/domain";
import {
  DomainError,
  type FieldViolation,
  parseAddTrackingNumbers,
  parseAdvanceClock,
  parseApiKeyId,
  parseCallTrackerReference,
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
import { START_OF_TIME } from "./api-keys/api-key-service.js";
import { readPoolChange } from "./pools/pool-service.js";

/** Whether a time is in the past or in the future is looked at when everything else of a request is right. */
const END_OF_TIME = new Date(8.64e15);

type Reader = (request: never, db: Executor, accounts: AccountDirectory) => unknown;

/** For each method of the API, the reading of its request that throws for what is wrong with it. */
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
  getCallTracker: parseCallTrackerReference,
  listCallTrackers: parseListCallTrackers,
  updateCallTracker: parseUpdateCallTracker,
  flagCallTracker: parseCallTrackerReference,
  addTrackingNumbers: parseAddTrackingNumbers,
  importTrackingNumbers: parseAddTrackingNumbers,
  listTrackingNumbers: parseListTrackingNumbers,
  countTrackingNumbers: parseCountTrackingNumbers,
  retireTrackingNumber: parseRetireTrackingNumber,
  recordVisits: (request) => parseRecordVisits(request, END_OF_TIME),
  resolveNumbers: parseResolveNumbers,
  reportVisit: parseReportVisit,
  resolveCall: parseResolveCall,
  getClock: () => {},
  advanceClock: parseAdvanceClock,
  createApiKey: (request) => parseCreateApiKey(request, START_OF_TIME),
  getApiKey: parseApiKeyId,
  listApiKeys: parseListApiKeys,
  revokeApiKey: parseApiKeyId,
  listAuditEntries: parseListAuditEntries,
};

/**
 * What the rules of the domain find wrong with a request of which some fields could not even be decoded, so that one error
 * names everything.
 */
export async function checkRequest(
  db: Executor,
  accounts: AccountDirectory,
  method: DescMethod,
  request: Message,
): Promise<readonly FieldViolation[]> {
  const read = (readers as Readonly<Record<string, Reader | undefined>>)[method.localName];
  // Health and reflection take every message.
  if (read === undefined) return [];
  try {
    await read(request as never, db, accounts);
    return [];
  } catch (error) {
    if (error instanceof DomainError && error.is("FIELD_INVALID")) return error.facts.violations;
    throw error;
  }
}
