import { DomainError } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import { findTrackingNumbersAmong } from "../calls/tracked-number.js";

/**
 * Throws DomainError `PHONE_NUMBER_IS_TRACKING_NUMBER` if a number that calls are connected to is a tracking number, because such calls would loop.
 * The routing of every phone call repeats the check, because a number can become a tracking number after this check.
 */
export async function requireNoTrackingNumber(db: Executor, ...phoneNumbers: readonly string[]): Promise<void> {
  const [phoneNumber] = await findTrackingNumbersAmong(db, phoneNumbers);
  if (phoneNumber !== undefined) throw new DomainError("PHONE_NUMBER_IS_TRACKING_NUMBER", { phoneNumber });
}
