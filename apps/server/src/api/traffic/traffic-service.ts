import { create } from "@bufbuild/protobuf";
import { RecordVisitsResponseSchema } from "@calltrack/domain/gen/calltracking/v1/traffic_pb";
import type { ServiceOf } from "../methods/method-row.js";
import type { TRAFFIC_METHODS } from "./traffic-methods.js";
import type { VisitRecorder } from "./visit-recorder.js";

/**
 * Creates the implementation of TrafficService. Visits are also counted while an account is disabled, and affect its
 * pools when it is enabled.
 */
export function createTrafficService(record: VisitRecorder["record"]): ServiceOf<typeof TRAFFIC_METHODS> {
  return {
    async recordVisits({ visits, now }, { account: { accountId } }) {
      return create(RecordVisitsResponseSchema, await record({ accountId, visits, now }));
    },
  };
}
