import {
  parseBatchCreateCallsRequest,
  parseCreateCallRequest,
  parseExportCallsRequest,
  parseForgetCallerRequest,
  parseGetCallRequest,
  parseImportCallHistoryRequest,
  parseListCallsRequest,
  parseReportCallsRequest,
  parseUpdateCallRequest,
} from "@calltrack/domain";
import { CallService } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import {
  ACCOUNT_READ_METHOD,
  ACCOUNT_WRITE_METHOD,
  declareMethodRows,
  type ParseContext,
} from "../methods/method-row.js";
import { CALL_PAGED_LIST } from "./call-list.js";

/** Phone systems report calls by tracking number, so their requests name no account. */
const RECORDS_CALLS = { access: { scope: "calls", reach: "own" } } as const;

export const CALL_METHODS = declareMethodRows(CallService, {
  createCall: {
    ...RECORDS_CALLS,
    parse: async (request, context) => parseCreateCallRequest(request, await periodOf(context)),
  },
  batchCreateCalls: {
    ...RECORDS_CALLS,
    isBatch: true,
    parse: async (request, context) => {
      const calls = parseBatchCreateCallsRequest(request, await periodOf(context));
      return { calls, callIds: request.calls.map(({ callId }) => callId) };
    },
  },
  importCallHistory: {
    access: { scope: "calls", reach: "account" },
    account: "named",
    isBatch: true,
    parse: async (request, context) => {
      const history = parseImportCallHistoryRequest(request, await periodOf(context));
      return { ...history, callIds: request.calls.map(({ callId }) => callId) };
    },
  },
  getCall: { ...ACCOUNT_READ_METHOD, parse: parseGetCallRequest },
  listCalls: { namesEventCursor: true, ...ACCOUNT_READ_METHOD, list: CALL_PAGED_LIST, parse: parseListCallsRequest },
  exportCalls: { namesEventCursor: true, ...ACCOUNT_READ_METHOD, parse: parseExportCallsRequest },
  reportCalls: { ...ACCOUNT_READ_METHOD, parse: parseReportCallsRequest },
  updateCall: {
    access: { scope: "calls", reach: "account" },
    account: "named",
    isConditional: true,
    audits: "call",
    parse: parseUpdateCallRequest,
  },
  forgetCaller: { ...ACCOUNT_WRITE_METHOD, audits: "call", parse: parseForgetCallerRequest },
});

async function periodOf({ currentTime, callRetentionMs }: ParseContext) {
  return { now: await currentTime(), retentionMs: callRetentionMs };
}
