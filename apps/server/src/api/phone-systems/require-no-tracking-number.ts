import { DomainError } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import { findTracked } from "../calls/tracked-number.js";

/**
 * Checks that numbers which calls are connected to are not in the inventory, because calls to them would loop. They may be added
 * later, so that each call checks them, too.
 *
 * @throws DomainError `PHONE_NUMBER_IS_TRACKING_NUMBER`
 */
export async function requireNoTrackingNumber(db: Executor, ...phoneNumbers: readonly string[]): Promise<void> {
  const [phoneNumber] = await findTracked(db, phoneNumbers);
  if (phoneNumber !== undefined) throw new DomainError("PHONE_NUMBER_IS_TRACKING_NUMBER", { phoneNumber });
}
