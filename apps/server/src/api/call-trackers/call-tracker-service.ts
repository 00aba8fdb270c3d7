import { create } from "@bufbuild/protobuf";
import {
  type CallTrackerReference,
  DomainError,
  parseCallTrackerReference,
  parseListCallTrackers,
  parseUpdateCallTracker,
} from "@calltrack/domain";
import {
  type CallTracker,
  type CallTrackerService,
  CallTrackerStatus,
  ListCallTrackersResponseSchema,
} from "@calltrack/domain/gen/calltracking/v1/call_tracker_pb";
import type { Executor } from "@calltrack/postgres";
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountDirectory, ResolvedAccount } from "../../access/account-directory.js";
import { changeOriginOf } from "../../access/change-origin.js";
import type { PoolRules } from "../../config/pool-rules.js";
import { parseEtagCondition, requireEtagMatch } from "../../database/etag-condition.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import { pagedListById, readPage } from "../../database/page.js";
import { flagCallTracker, listCallTrackers, requireCallTracker, updateCallTracker } from "./call-tracker-repository.js";
import { findPoolState } from "./call-tracker-statements.js";

const CALL_TRACKERS = pagedListById<CallTracker>("call_trackers");

/** Creates the implementation of CallTrackerService. */
export function createCallTrackerService(
  { db }: DatabaseAccess,
  accounts: AccountDirectory,
  { timelineMs }: Pick<PoolRules, "timelineMs">,
): ServiceImpl<typeof CallTrackerService> {
  return {
    async getCallTracker(request) {
      const name = parseCallTrackerReference(request);
      return requireCallTracker(db, await accounts.require(name.account), name);
    },

    async listCallTrackers(request) {
      const { account, poolId, page } = parseListCallTrackers(request);
      const { entries, nextPageToken } = await readPage(CALL_TRACKERS, page, async (bounds) =>
        listCallTrackers(db, await accounts.require(account), poolId, bounds),
      );
      return create(ListCallTrackersResponseSchema, { callTrackers: entries, nextPageToken });
    },

    async updateCallTracker(request, context) {
      const update = parseUpdateCallTracker(request);
      const condition = parseEtagCondition(request);
      const account = await accounts.require(update.account);
      for (;;) {
        const updated = await updateCallTracker(db, account, update, condition, changeOriginOf(context));
        if (updated !== undefined) return updated;
        requireEtagMatch(condition, await requireManageable(db, account, update));
      }
    },

    async flagCallTracker(request, context) {
      const name = parseCallTrackerReference(request);
      const condition = parseEtagCondition(request);
      const account = await accounts.require(name.account);
      for (;;) {
        const flagged = await flagCallTracker(db, account, name, timelineMs, condition, changeOriginOf(context));
        if (flagged !== undefined) return flagged;
        const callTracker = await requireManageable(db, account, name);
        if (callTracker.status === CallTrackerStatus.AVAILABLE)
          throw new DomainError("CALL_TRACKER_NOT_ACTIVE", { callTrackerId: name.callTrackerId });
        requireEtagMatch(condition, callTracker);
        if (callTracker.status === CallTrackerStatus.FLAGGED) return callTracker;
      }
    },
  };
}

/**
 * Returns the call tracker if a caller may change it. May succeed although the update was just rejected, if the
 * obstacle has gone.
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
  const [state] = await findPoolState(db, { accountId: account.accountId, pool: poolId });
  if (state?.pool_type === "automanaged") throw new DomainError("POOL_AUTOMANAGED", { poolId });
  if (state?.is_active === false) throw new DomainError("ACCOUNT_DISABLED", { account: name.account });
  return callTracker;
}
