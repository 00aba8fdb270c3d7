import type { DescMethod, Message, MessageShape } from "@bufbuild/protobuf";
import {
  DomainError,
  type FieldViolation,
  parseAddTrackingNumbers,
  parseAdvanceClock,
  parseCallTrackerName,
  parseCountTrackingNumbers,
  parseCreateAccount,
  parseCreatePhoneNumber,
  parseCreatePool,
  parseExportPools,
  parseGetAccount,
  parseGetPhoneNumber,
  parseGetPool,
  parseListAccounts,
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
import type { AccountService } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import type { CallTrackerService } from "@calltrack/domain/gen/calltracking/v1/call_tracker_pb";
import type { ClockService } from "@calltrack/domain/gen/calltracking/v1/clock_pb";
import type { DniService } from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import type { InventoryService } from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import type { PhoneNumberService } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import type { PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import type { TrafficService } from "@calltrack/domain/gen/calltracking/v1/traffic_pb";
import type { AccountDirectory } from "./accounts/account-directory.js";
import { readPoolChange } from "./pools/pool-service.js";
import type { Executor } from "./storage/prepared-statement.js";

type Methods = (typeof AccountService)["method"] &
  (typeof PhoneNumberService)["method"] &
  (typeof PoolService)["method"] &
  (typeof CallTrackerService)["method"] &
  (typeof InventoryService)["method"] &
  (typeof TrafficService)["method"] &
  (typeof DniService)["method"] &
  (typeof ClockService)["method"];

/** Whether a time is in the future is looked at when everything else of a request is right. */
const END_OF_TIME = new Date(8.64e15);

/** For each method of the API, the reading of its request that throws for what is wrong with it. */
const readers: {
  readonly [M in keyof Methods]: (
    request: MessageShape<Methods[M]["input"]>,
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
  recordVisits: (request) => parseRecordVisits(request, END_OF_TIME),
  resolveNumbers: parseResolveNumbers,
  reportVisit: parseReportVisit,
  resolveCall: parseResolveCall,
  getClock: () => {},
  advanceClock: parseAdvanceClock,
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
  const read = readers[method.localName as keyof Methods] as (
    request: Message,
    db: Executor,
    accounts: AccountDirectory,
  ) => unknown;
  try {
    await read(request, db, accounts);
    return [];
  } catch (error) {
    if (error instanceof DomainError && error.is("FIELD_INVALID")) return error.facts.violations;
    throw error;
  }
}
