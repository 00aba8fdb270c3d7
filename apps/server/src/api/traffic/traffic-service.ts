import { create } from "@bufbuild/protobuf";
import { applySourceAliases } from "@calltrack/domain";
import { RecordVisitsResponseSchema } from "@calltrack/domain/gen/calltracking/v1/traffic_pb";
import type { Executor } from "@calltrack/postgres";
import { updateIfEtagMatches } from "../../database/etag-condition.js";
import type { ServiceImplementation } from "../methods/method-row.js";
import type { SourceAliasDirectory } from "./source-alias-directory.js";
import { getSourceAliases, updateSourceAliases } from "./source-alias-repository.js";
import type { TRAFFIC_METHODS } from "./traffic-methods.js";
import type { VisitRecorder } from "./visit-recorder.js";

/** Visits are counted even while an account is disabled, and affect its pools once it is enabled. */
export function createTrafficService(
  db: Executor,
  aliases: SourceAliasDirectory,
  record: VisitRecorder["record"],
): ServiceImplementation<typeof TRAFFIC_METHODS> {
  return {
    async recordVisits({ visits, now }, { account: { accountId } }) {
      const known = await aliases.find(accountId);
      const named =
        known.size === 0 ? visits : visits.map((visit) => ({ ...visit, ...applySourceAliases(known, visit) }));
      return create(RecordVisitsResponseSchema, await record({ accountId, visits: named, now }));
    },

    getSourceAliases: (_, { account }) => getSourceAliases(db, account),

    async updateSourceAliases({ aliases: next }, { account, condition, origin }) {
      const updated = await updateIfEtagMatches(
        condition,
        () => updateSourceAliases(db, account, next, condition, origin),
        () => getSourceAliases(db, account),
      );
      aliases.forget(account.accountId);
      return updated;
    },
  };
}
