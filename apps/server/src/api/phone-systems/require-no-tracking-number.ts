import { DomainError } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import { prepareStatement } from "../../database/prepared-statement.js";

/**
 * Checks that a number which calls fall back to is not in the inventory, because calls to it would loop. It may be added
 * later, so that each call checks it, too.
 *
 * @throws DomainError `PHONE_NUMBER_IS_TRACKING_NUMBER`
 */
export async function requireNoTrackingNumber(db: Executor, phoneNumber: string): Promise<void> {
  const found = await findInventoryNumberStatement(db, { phoneNumber });
  if (found.length > 0) throw new DomainError("PHONE_NUMBER_IS_TRACKING_NUMBER", { phoneNumber });
}

const findInventoryNumberStatement = prepareStatement<{ phoneNumber: string }, { phone_number: string }>(
  (db, parameter) =>
    db
      .selectFrom("tracking_numbers")
      .select("phone_number")
      .where("phone_number", "=", parameter("phoneNumber"))
      .where("area_code", "is not", null)
      .where("state", "<>", "retired"),
);
