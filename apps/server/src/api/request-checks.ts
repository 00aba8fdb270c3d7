import type { DescMethod, Message, MessageShape } from "@bufbuild/protobuf";
import * as domain from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import type { AccountDirectory } from "../access/account-directory.js";
import { START_OF_TIME } from "./api-keys/api-key-service.js";
import { readPoolChange } from "./pools/pool-service.js";

/** Whether a time is in the past or in the future is looked at when everything else of a request is right. */
const END_OF_TIME = new Date(8.64e15);

type Reader = (request: never, db: Executor, accounts: AccountDirectory) => unknown;

/** For each method of the API, the reading of its request that throws for what is wrong with it. */
const readers: {
  readonly [M in keyof domain.ApiMethods]: (
    request: MessageShape<domain.ApiMethods[M]["input"]>,
    db: Executor,
    accounts: AccountDirectory,
  ) => unknown;
} = {
  createAccount: domain.parseCreateAccount,
  getAccount: domain.parseGetAccount,
  listAccounts: domain.parseListAccounts,
  updateAccount: domain.parseUpdateAccount,
  createPhoneNumber: domain.parseCreatePhoneNumber,
  getPhoneNumber: domain.parseGetPhoneNumber,
  listPhoneNumbers: domain.parseListPhoneNumbers,
  createPool: domain.parseCreatePool,
  getPool: domain.parseGetPool,
  listPools: domain.parseListPools,
  exportPools: domain.parseExportPools,
  updatePool: (request, db, accounts) => readPoolChange(db, accounts, request),
  planPoolUpdate: (request, db, accounts) => readPoolChange(db, accounts, request),
  explainPool: domain.parseGetPool,
  listPoolHistory: domain.parseListPoolHistory,
  getCallTracker: domain.parseCallTrackerReference,
  listCallTrackers: domain.parseListCallTrackers,
  updateCallTracker: domain.parseUpdateCallTracker,
  flagCallTracker: domain.parseCallTrackerReference,
  addTrackingNumbers: domain.parseAddTrackingNumbers,
  importTrackingNumbers: domain.parseAddTrackingNumbers,
  listTrackingNumbers: domain.parseListTrackingNumbers,
  countTrackingNumbers: domain.parseCountTrackingNumbers,
  retireTrackingNumber: domain.parseRetireTrackingNumber,
  recordVisits: (request) => domain.parseRecordVisits(request, END_OF_TIME),
  resolveNumbers: domain.parseResolveNumbers,
  reportVisit: domain.parseReportVisit,
  resolveCall: domain.parseResolveCall,
  getClock: () => {},
  advanceClock: domain.parseAdvanceClock,
  createApiKey: (request) => domain.parseCreateApiKey(request, START_OF_TIME),
  getApiKey: domain.parseApiKeyId,
  listApiKeys: domain.parseListApiKeys,
  revokeApiKey: domain.parseApiKeyId,
  listAuditEntries: domain.parseListAuditEntries,
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
): Promise<readonly domain.FieldViolation[]> {
  const read = (readers as Readonly<Record<string, Reader | undefined>>)[method.localName];
  // Health and reflection take every message.
  if (read === undefined) return [];
  try {
    await read(request as never, db, accounts);
    return [];
  } catch (error) {
    if (error instanceof domain.DomainError && error.is("FIELD_INVALID")) return error.facts.violations;
    throw error;
  }
}
