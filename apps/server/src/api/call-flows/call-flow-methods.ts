import {
  parseExplainCall,
  parseGetCallFlow,
  parseGetDefaultCallFlow,
  parseUpdateCallFlow,
  parseUpdateDefaultCallFlow,
} from "@calltrack/domain";
import { CallFlowService } from "@calltrack/domain/gen/calltracking/v1/call_flow_pb";
import { describeMethods, READS_ACCOUNT, WRITES_ACCOUNT } from "../methods/method-row.js";

const UPDATES_FLOW = { ...WRITES_ACCOUNT, isConditional: true, audits: "call_flow" } as const;

export const CALL_FLOW_METHODS = describeMethods(CallFlowService, {
  getCallFlow: { ...READS_ACCOUNT, parse: parseGetCallFlow },
  updateCallFlow: { ...UPDATES_FLOW, parse: (request) => parseUpdateCallFlow(request) },
  getDefaultCallFlow: { ...READS_ACCOUNT, parse: parseGetDefaultCallFlow },
  updateDefaultCallFlow: { ...UPDATES_FLOW, parse: parseUpdateDefaultCallFlow },
  explainCall: { access: { scope: "read", reach: "own" }, parse: parseExplainCall },
});
