import { create } from "@bufbuild/protobuf";
import { type CallTrackerReference, DomainError, parseUuid } from "@calltrack/domain";
import {
  type CallTracker,
  CallTrackerStatus,
  ListCallTrackersResponseSchema,
} from "@calltrack/domain/gen/calltracking/v1/call_tracker_pb";
import type { Executor } from "@calltrack/postgres";
import type { ResolvedAccount } from "../../access/account-directory.js";
import type { PoolRules } from "../../config/pool-rules.js";
import { updateIfEtagMatches } from "../../database/etag-condition.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import type { ServiceImplementation } from "../methods/method-row.js";
import type { CALL_TRACKER_METHODS } from "./call-tracker-methods.js";
import { flagCallTracker, listCallTrackers, requireCallTracker, updateCallTracker } from "./call-tracker-repository.js";
import { findPoolStateStatement } from "./call-tracker-statements.js";

export function createCallTrackerService(
  { db }: DatabaseAccess,
  { gracePeriodMs }: Pick<PoolRules, "gracePeriodMs">,
): ServiceImplementation<typeof CALL_TRACKER_METHODS> {
  return {
    getCallTracker: (name, { account }) => requireCallTracker(db, account, name),

    async listCallTrackers({ poolId }, { account, readPage }) {
      const { entries, nextPageToken } = await readPage(parseUuid(poolId) ?? "", (bounds) =>
        listCallTrackers(db, account, poolId, bounds),
      );
      return create(ListCallTrackersResponseSchema, { callTrackers: entries, nextPageToken });
    },

    updateCallTracker: (update, { account, condition, origin }) =>
      updateIfEtagMatches(
        condition,
        () => updateCallTracker(db, account, update, condition, origin),
        () => requireManageable(db, account, update),
      ),

    flagCallTracker: (name, { account, condition, origin }) =>
      updateIfEtagMatches(
        condition,
        () => flagCallTracker(db, account, name, gracePeriodMs, condition, origin),
        async () => {
          const callTracker = await requireManageable(db, account, name);
          if (callTracker.status !== CallTrackerStatus.AVAILABLE) return callTracker;
          throw new DomainError("CALL_TRACKER_NOT_ACTIVE", { callTrackerId: name.callTrackerId });
        },
        ({ status }) => status === CallTrackerStatus.FLAGGED,
      ),
  };
}

/**
 * Returns a call tracker whose update was rejected, or throws the reason for the rejection. Returns the call tracker if that reason has disappeared
 * in the meantime.
 *
 * @throws DomainError `POOL_NOT_FOUND`, `CALL_TRACKER_NOT_FOUND`, `POOL_AUTOMANAGED` or `ACCOUNT_DISABLED`
 */
async function requireManageable(
  db: Executor,
  account: ResolvedAccount,
  name: CallTrackerReference,
): Promise<CallTracker> {
  const callTracker = await requireCallTracker(db, account, name);
  const { poolId } = callTracker;
  const [state] = await findPoolStateStatement(db, { accountId: account.accountId, pool: poolId });
  if (state?.pool_type === "automanaged") throw new DomainError("POOL_AUTOMANAGED", { poolId });
  if (state?.is_active === false) throw new DomainError("ACCOUNT_DISABLED", { account: name.account });
  return callTracker;
}
