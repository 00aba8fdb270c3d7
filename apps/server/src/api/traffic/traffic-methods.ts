import { parseGetSourceAliases, parseRecordVisits, parseUpdateSourceAliases } from "@calltrack/domain";
import { TrafficService } from "@calltrack/domain/gen/calltracking/v1/traffic_pb";
import { describeMethods, READS_ACCOUNT, WRITES_ACCOUNT } from "../methods/method-row.js";

export const TRAFFIC_METHODS = describeMethods(TrafficService, {
  recordVisits: {
    access: { scope: "dni", reach: "account" },
    account: "named",
    isBatch: true,
    parse: async (request, { currentTime }) => {
      const now = await currentTime();
      return { ...parseRecordVisits(request, now), now };
    },
  },
  getSourceAliases: { ...READS_ACCOUNT, parse: parseGetSourceAliases },
  updateSourceAliases: {
    ...WRITES_ACCOUNT,
    isBatch: true,
    isConditional: true,
    audits: "source_aliases",
    parse: parseUpdateSourceAliases,
  },
});
