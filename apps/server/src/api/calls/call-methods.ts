import {
  parseBatchCreateCalls,
  parseCreateCall,
  parseExportCalls,
  parseForgetCaller,
  parseGetCall,
  parseImportCallHistory,
  parseListCalls,
  parseReportCalls,
  parseUpdateCall,
} from "@calltrack/domain";
import { CallService } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { describeMethods, type ParseContext, READS_ACCOUNT, WRITES_ACCOUNT } from "../methods/method-row.js";
import { CALLS } from "./call-list.js";

/** Phone systems report calls by tracking number, so their requests name no account. */
const RECORDS_CALLS = { access: { scope: "calls", reach: "own" } } as const;

export const CALL_METHODS = describeMethods(CallService, {
  createCall: {
    ...RECORDS_CALLS,
    parse: async (request, context) => parseCreateCall(request, await periodOf(context)),
  },
  batchCreateCalls: {
    ...RECORDS_CALLS,
    isBatch: true,
    parse: async (request, context) => {
      const calls = parseBatchCreateCalls(request, await periodOf(context));
      return { calls, callIds: request.calls.map(({ callId }) => callId) };
    },
  },
  importCallHistory: {
    access: { scope: "calls", reach: "account" },
    account: "named",
    isBatch: true,
    parse: async (request, context) => {
      const history = parseImportCallHistory(request, await periodOf(context));
      return { ...history, callIds: request.calls.map(({ callId }) => callId) };
    },
  },
  getCall: { ...READS_ACCOUNT, parse: parseGetCall },
  listCalls: { namesEventCursor: true, ...READS_ACCOUNT, list: CALLS, parse: parseListCalls },
  exportCalls: { namesEventCursor: true, ...READS_ACCOUNT, parse: parseExportCalls },
  reportCalls: { ...READS_ACCOUNT, parse: parseReportCalls },
  updateCall: {
    access: { scope: "calls", reach: "account" },
    account: "named",
    isConditional: true,
    audits: "call",
    parse: parseUpdateCall,
  },
  forgetCaller: { ...WRITES_ACCOUNT, audits: "call", parse: parseForgetCaller },
});

async function periodOf({ currentTime, callRetentionMs }: ParseContext) {
  return { now: await currentTime(), retentionMs: callRetentionMs };
}
