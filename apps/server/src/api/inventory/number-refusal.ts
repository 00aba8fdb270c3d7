import type { NewTrackingNumber } from "@calltrack/domain";
import type { RefusedTrackingNumber } from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import type { ExistingNumber } from "./tracking-number-statements.js";

/**
 * Explains why a number was not added to the inventory.
 *
 * @param known the existing number, or undefined if the new one was added.
 * @returns undefined if the inventory has the number as requested, added now or before.
 */
export function refusalOf(
  { phoneNumber, areaCode }: NewTrackingNumber,
  known: ExistingNumber | undefined,
): RefusedTrackingNumber | undefined {
  if (known === undefined) return undefined;
  const refuse = (reason: string, problem: string): RefusedTrackingNumber => ({
    $typeName: "calltracking.v1.RefusedTrackingNumber",
    phoneNumber,
    reason,
    message: `${phoneNumber} ${problem}`,
  });
  if (known.area_code === null) {
    return refuse("NUMBER_IS_ORIGINAL", "is registered as an original number: remove it from the list");
  }
  if (known.state === "retired") return refuse("NUMBER_RETIRED", "is retired: use another number");
  if (known.area_code !== areaCode) {
    return refuse(
      "NUMBER_HAS_OTHER_AREA_CODE",
      `is in the inventory with area code ${known.area_code}: correct the area code in the list`,
    );
  }
  return undefined;
}
