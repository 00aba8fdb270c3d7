import type { NumberRetirement } from "@calltrack/domain";
import type { TrackingNumber } from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import type { Executor } from "@calltrack/postgres";
import type { ChangeOrigin } from "../../database/tables/audit-table.js";
import { lockPoolStatement, markRetiringStatement } from "./retirement-statements.js";
import { trackingNumberOf } from "./tracking-number-repository.js";
import { findNumberStatement, retireNumberStatement, type TrackingNumberRow } from "./tracking-number-statements.js";

/**
 * Retires a number: immediately if it has no holder, otherwise when a pass deletes its call tracker. A request that
 * is less urgent than an earlier one changes nothing.
 *
 * @returns undefined if the inventory has no such number.
 */
export async function retireTrackingNumber(
  db: Executor,
  { phoneNumber, immediately }: NumberRetirement,
  origin: ChangeOrigin,
): Promise<TrackingNumber | undefined> {
  const retirement = { phoneNumber, immediately, origin: JSON.stringify(origin) };
  for (;;) {
    const [found] = await findNumberStatement(db, { phoneNumber });
    if (found === undefined || isDone(found, immediately)) return found && trackingNumberOf(found);
    const holder = holderOf(found);
    const [retired] =
      holder === undefined
        ? await retireNumberStatement(db, { ...retirement, callTracker: null })
        : await retireHeld(db, holder, retirement);
    if (retired !== undefined) return trackingNumberOf(retired);
    // A pass has assigned or released the number since it was read: retry.
  }
}

function isDone({ state, retires_immediately }: TrackingNumberRow, immediately: boolean): boolean {
  return state === "retired" || (state === "retiring" && (retires_immediately || !immediately));
}

interface Holder {
  readonly accountId: number;
  readonly pool: string;
  readonly callTracker: string;
}

function holderOf({ state, account_id, pool_id, call_tracker_id }: TrackingNumberRow): Holder | undefined {
  if (state !== "assigned" && state !== "retiring") return undefined;
  // A check constraint ensures that assigned numbers have a holder.
  return { accountId: account_id as number, pool: pool_id as string, callTracker: call_tracker_id as string };
}

/** Locks the pool first, like a pass, to avoid deadlocks. */
function retireHeld(
  db: Executor,
  holder: Holder,
  retirement: { readonly phoneNumber: string; readonly immediately: boolean; readonly origin: string },
): Promise<TrackingNumberRow[]> {
  const { immediately } = retirement;
  return db.transaction(async (transaction) => {
    await lockPoolStatement(transaction, holder);
    const retired = await retireNumberStatement(transaction, { ...retirement, callTracker: holder.callTracker });
    if (retired.length > 0) {
      await markRetiringStatement(transaction, {
        ...holder,
        retirement: immediately ? "immediate" : "gradual",
        reason: immediately ? "its number was retired immediately" : "its number was retired",
      });
    }
    return retired;
  });
}
