import { create } from "@bufbuild/protobuf";
import { parseRecordVisits } from "@calltrack/domain";
import { RecordVisitsResponseSchema, type TrafficService } from "@calltrack/domain/gen/calltracking/v1/traffic_pb";
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountDirectory } from "../../access/account-directory.js";
import type { VisitRecorder } from "./visit-recorder.js";

/**
 * Creates the implementation of TrafficService. Visits are also counted while an account is disabled, and affect its
 * pools when it is enabled.
 *
 * @param currentTime returns the time of the pool clock.
 */
export function createTrafficService(
  accounts: AccountDirectory,
  record: VisitRecorder,
  currentTime: () => Promise<Date>,
): ServiceImpl<typeof TrafficService> {
  return {
    async recordVisits(request) {
      const now = await currentTime();
      const { account, visits } = parseRecordVisits(request, now);
      const { accountId } = await accounts.require(account);
      return create(RecordVisitsResponseSchema, await record({ accountId, visits, now }));
    },
  };
}
