import { type QueryCreator, sql } from "kysely";
import type { Schema } from "../../database/tables/schema.js";

/**
 * Builds the CTE that permanently excludes the original numbers in the CTE `registered` from the inventory. The CTE violates the check
 * `phone_numbers_are_no_tracking_numbers` if the inventory contains one of these numbers.
 */
export function buildInventoryExclusionCte(db: QueryCreator<Schema & { registered: { phone_number: string } }>) {
  return db
    .insertInto("tracking_numbers")
    .columns(["phone_number", "state", "is_original"])
    .expression((from) =>
      from
        .selectFrom("registered")
        .select(["phone_number", sql.lit<"retired">("retired").as("state"), sql.lit(true).as("is_original")]),
    )
    .onConflict((conflict) =>
      conflict
        .column("phone_number")
        .doUpdateSet({ is_original: sql.lit(true) })
        .where("tracking_numbers.is_original", "=", sql.lit(false)),
    )
    .returning("phone_number");
}
