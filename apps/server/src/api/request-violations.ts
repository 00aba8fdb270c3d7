import type { DescMethod, Message, MessageShape } from "@bufbuild/protobuf";
import * as domain from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import type { AccountDirectory } from "../access/account-directory.js";
import { EARLIEST_DATE } from "./api-keys/api-key-service.js";
import { readPoolChange } from "./pools/pool-service.js";

/** Disables the check for times in the future, which depends on the current time. */
const LATEST_DATE = new Date(8.64e15);

/** Also disables the check for calls that have expired. */
const ANY_PERIOD = { now: LATEST_DATE, retentionMs: Number.POSITIVE_INFINITY };

type Reader = (request: never, db: Executor, accounts: AccountDirectory) => unknown;

/** For each method of the API, the parser of its request, which throws for invalid fields. */
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
  batchCreatePools: domain.parseBatchCreatePools,
  getPool: domain.parseGetPool,
  listPools: domain.parseListPools,
  listPoolSummaries: domain.parseListPools,
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
  recordVisits: (request) => domain.parseRecordVisits(request, LATEST_DATE),
  resolveNumbers: domain.parseResolveNumbers,
  reportVisit: domain.parseReportVisit,
  resolveCall: (request) => domain.parseResolveCall(request, LATEST_DATE),
  createCall: (request) => domain.parseCreateCall(request, ANY_PERIOD),
  batchCreateCalls: (request) => domain.parseBatchCreateCalls(request, ANY_PERIOD),
  getCall: domain.parseGetCall,
  listCalls: domain.parseListCalls,
  exportCalls: domain.parseExportCalls,
  reportCalls: domain.parseReportCalls,
  updateCall: domain.parseUpdateCall,
  forgetCaller: domain.parseForgetCaller,
  getClock: () => {},
  whoAmI: () => {},
  advanceClock: domain.parseAdvanceClock,
  createApiKey: (request) => domain.parseCreateApiKey(request, EARLIEST_DATE),
  getApiKey: domain.parseApiKeyId,
  listApiKeys: domain.parseListApiKeys,
  revokeApiKey: domain.parseApiKeyId,
  listAuditEntries: domain.parseListAuditEntries,
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
): Promise<readonly domain.FieldViolation[]> {
  const read = (readers as Readonly<Record<string, Reader | undefined>>)[method.localName];
  // Health and reflection accept every message.
  if (read === undefined) return [];
  try {
    await read(request as never, db, accounts);
    return [];
  } catch (error) {
    if (error instanceof domain.DomainError && error.is("FIELD_INVALID")) return error.facts.violations;
    throw error;
  }
}
