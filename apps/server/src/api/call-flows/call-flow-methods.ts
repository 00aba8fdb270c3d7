import {
  parseExplainCallRequest,
  parseGetCallFlowRequest,
  parseGetDefaultCallFlowRequest,
  parseUpdateCallFlowRequest,
  parseUpdateDefaultCallFlowRequest,
} from "@calltrack/domain";
import { CallFlowService } from "@calltrack/domain/gen/calltracking/v1/call_flow_pb";
import { ACCOUNT_READ_METHOD, ACCOUNT_WRITE_METHOD, declareMethodRows } from "../methods/method-row.js";

const UPDATES_FLOW = { ...ACCOUNT_WRITE_METHOD, isConditional: true, audits: "call_flow" } as const;

export const CALL_FLOW_METHODS = declareMethodRows(CallFlowService, {
  getCallFlow: { ...ACCOUNT_READ_METHOD, parse: parseGetCallFlowRequest },
  updateCallFlow: { ...UPDATES_FLOW, parse: (request) => parseUpdateCallFlowRequest(request) },
  getDefaultCallFlow: { ...ACCOUNT_READ_METHOD, parse: parseGetDefaultCallFlowRequest },
  updateDefaultCallFlow: { ...UPDATES_FLOW, parse: parseUpdateDefaultCallFlowRequest },
  explainCall: { access: { scope: "read", reach: "own" }, parse: parseExplainCallRequest },
});
