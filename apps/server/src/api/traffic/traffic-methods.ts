import {
  parseGetSourceAliasesRequest,
  parseRecordVisitsRequest,
  parseUpdateSourceAliasesRequest,
} from "@calltrack/domain";
import { TrafficService } from "@calltrack/domain/gen/calltracking/v1/traffic_pb";
import { ACCOUNT_READ_METHOD, ACCOUNT_WRITE_METHOD, declareMethodRows } from "../methods/method-row.js";

export const TRAFFIC_METHODS = declareMethodRows(TrafficService, {
  recordVisits: {
    access: { scope: "dni", reach: "account" },
    account: "named",
    isBatch: true,
    parse: async (request, { currentTime }) => {
      const now = await currentTime();
      return { ...parseRecordVisitsRequest(request, now), now };
    },
  },
  getSourceAliases: { ...ACCOUNT_READ_METHOD, parse: parseGetSourceAliasesRequest },
  updateSourceAliases: {
    ...ACCOUNT_WRITE_METHOD,
    isBatch: true,
    isConditional: true,
    audits: "source_aliases",
    parse: parseUpdateSourceAliasesRequest,
  },
});
