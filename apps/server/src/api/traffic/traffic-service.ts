import { create } from "@bufbuild/protobuf";
import { parseRecordVisits } from "@calltrack/domain";
import { RecordVisitsResponseSchema, type TrafficService } from "@calltrack/domain/gen/calltracking/v1/traffic_pb";
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountDirectory } from "../../access/account-directory.js";
import type { VisitRecorder } from "./visit-recorder.js";

/**
 * The implementation of TrafficService. Visits of a disabled account are counted too: its pools stay as they are until it is
 * enabled, and then go by what has happened meanwhile.
 *
 * @param currentTime gives the time by which visits are counted.
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
