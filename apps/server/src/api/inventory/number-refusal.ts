import type { NewTrackingNumber } from "@calltrack/domain";
import type { RefusedTrackingNumber } from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import type { KnownNumber } from "./tracking-number-statements.js";

/**
 * Why a number is not in the inventory as it was to be.
 *
 * @param known what stood in its way, or undefined if nothing did.
 * @returns undefined if it is there, now or already.
 */
export function refusalOf(
  { phoneNumber, areaCode }: NewTrackingNumber,
  known: KnownNumber | undefined,
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
