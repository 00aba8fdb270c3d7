import { listCallFlowNumbers, requireDistinctFallbackNumber } from "@calltrack/domain";
import type { CallFlow, CallFlowSettings } from "@calltrack/domain/gen/calltracking/v1/call_flow_pb";
import { updateIfEtagMatches } from "../../database/etag-condition.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import type { RpcArguments, ServiceImplementation } from "../methods/method-row.js";
import { requireNoTrackingNumber } from "../phone-systems/require-no-tracking-number.js";
import type { CALL_FLOW_METHODS } from "./call-flow-methods.js";
import { requireCallFlow, updateCallFlow } from "./call-flow-repository.js";
import { describeCallFlow } from "./describe-call-flow.js";
import { explainCall } from "./explain-call.js";

/** @param currentTime returns the time of the pool clock. */
export function createCallFlowService(
  { db }: DatabaseAccess,
  currentTime: () => Promise<Date>,
): ServiceImplementation<typeof CALL_FLOW_METHODS> {
  /** @param poolId undefined for the account's default call flow. */
  async function update(
    poolId: string | undefined,
    settings: CallFlowSettings,
    { account, condition, origin }: RpcArguments<(typeof CALL_FLOW_METHODS)["rows"]["updateCallFlow"]>,
  ): Promise<CallFlow> {
    const find = () => requireCallFlow(db, account, poolId);
    const flow = await find();
    if (flow.pool !== undefined) requireDistinctFallbackNumber(settings, flow.pool.originalNumber);
    await requireNoTrackingNumber(db, ...listCallFlowNumbers(settings));
    const change = () => updateCallFlow(db, account, flow, settings, condition, origin);
    return describeCallFlow(db, account, await updateIfEtagMatches(condition, change, find));
  }

  return {
    getCallFlow: async ({ poolId }, { account }) =>
      describeCallFlow(db, account, await requireCallFlow(db, account, poolId)),

    updateCallFlow: ({ poolId, settings }, rpc) => update(poolId, settings, rpc),

    getDefaultCallFlow: async (_, { account }) =>
      describeCallFlow(db, account, await requireCallFlow(db, account, undefined)),

    updateDefaultCallFlow: ({ settings }, rpc) => update(undefined, settings, rpc),

    explainCall: async ({ at, ...call }, { own }) => explainCall(db, call, at ?? (await currentTime()), own),
  };
}
