import { DomainError } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import { findTracked } from "../calls/tracked-number.js";

/**
 * Checks that a number which calls fall back to is not in the inventory, because calls to it would loop. It may be added
 * later, so that each call checks it, too.
 *
 * @throws DomainError `PHONE_NUMBER_IS_TRACKING_NUMBER`
 */
export async function requireNoTrackingNumber(db: Executor, phoneNumber: string): Promise<void> {
  const tracked = await findTracked(db, [phoneNumber]);
  if (tracked.size > 0) throw new DomainError("PHONE_NUMBER_IS_TRACKING_NUMBER", { phoneNumber });
}
