import { create } from "@bufbuild/protobuf";
import { type NewTrackingNumber, parseUuid } from "@calltrack/domain";
import {
  type AddTrackingNumbersResponse,
  AddTrackingNumbersResponseSchema,
  CountTrackingNumbersResponseSchema,
  ListTrackingNumbersResponseSchema,
  type RefusedTrackingNumber,
} from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import type { Executor } from "@calltrack/postgres";
import { createResourceOnce } from "../../database/idempotency/create-resource-once.js";
import type { IdempotencyKey } from "../../database/idempotency/idempotency-key.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import type { ChangeOrigin } from "../../database/tables/schema.js";
import type { ServiceImplementation } from "../methods/method-row.js";
import { findPhoneSystemIds } from "../phone-systems/phone-system-repository.js";
import type { INVENTORY_METHODS } from "./inventory-methods.js";
import { retireTrackingNumber } from "./number-retirement.js";
import { addTrackingNumbers, countTrackingNumbers, listTrackingNumbers } from "./tracking-number-repository.js";
import type { ExistingTrackingNumber } from "./tracking-number-statements.js";

/** The maximum number of rejected numbers in an import's response, so that the response fits into a message. */
const MAX_REFUSED = 10_000;

/** @param runner is woken when pools can get added numbers or must replace a retired number. */
export function createInventoryService(
  { db }: DatabaseAccess,
  runner: { wake(): void },
): ServiceImplementation<typeof INVENTORY_METHODS> {
  async function add(
    numbers: readonly NewTrackingNumber[],
    origin: ChangeOrigin,
    key?: IdempotencyKey,
  ): Promise<AddTrackingNumbersResponse> {
    const response = await createResourceOnce(db, key, async (executor) => {
      const isRoutable = await createPhoneSystemCheck(executor, numbers);
      const routable = numbers.filter(isRoutable);
      const known = await addTrackingNumbers(executor, routable, origin);
      const refused = numbers.flatMap((number) =>
        isRoutable(number) ? (refusalOf(number, known.get(number.phoneNumber)) ?? []) : refuseUnknownSystem(number),
      );
      const added = routable.length - known.size;
      const alreadyThere = numbers.length - refused.length - added;
      return create(AddTrackingNumbersResponseSchema, { added, alreadyThere, refused });
    });
    if (response.added > 0) runner.wake();
    return response;
  }

  return {
    addTrackingNumbers: ({ numbers }, { key, origin }) => add(numbers, origin, key),

    async importTrackingNumbers(batches, { origin }) {
      const sum = create(AddTrackingNumbersResponseSchema);
      for await (const { numbers } of batches) {
        const { added, alreadyThere, refused } = await add(numbers, origin);
        sum.added += added;
        sum.alreadyThere += alreadyThere;
        sum.refused.push(...refused.slice(0, MAX_REFUSED - sum.refused.length));
      }
      return sum;
    },

    async listTrackingNumbers({ page: _, ...filter }, { readPage }) {
      const { entries, nextPageToken } = await readPage([filter.areaCode, filter.state].join(), (bounds) =>
        listTrackingNumbers(db, filter, bounds),
      );
      return create(ListTrackingNumbersResponseSchema, { trackingNumbers: entries, nextPageToken });
    },

    async countTrackingNumbers({ areaCode }) {
      const counts = await countTrackingNumbers(db, areaCode);
      return create(CountTrackingNumbersResponseSchema, { counts });
    },

    async retireTrackingNumber(wanted, { origin }) {
      const retired = await retireTrackingNumber(db, wanted, origin);
      runner.wake();
      return retired;
    },
  };
}

/** Creates a function that reports whether a number's phone system exists. A number without a phone system passes. */
async function createPhoneSystemCheck(
  db: Executor,
  numbers: readonly NewTrackingNumber[],
): Promise<(number: NewTrackingNumber) => boolean> {
  const ids = new Set(numbers.flatMap(({ phoneSystemId = "" }) => parseUuid(phoneSystemId) ?? []));
  const existing = await findPhoneSystemIds(db, [...ids]);
  return ({ phoneSystemId }) => phoneSystemId === undefined || existing.has(phoneSystemId);
}

function refuseUnknownSystem({ phoneNumber }: NewTrackingNumber): RefusedTrackingNumber {
  return refuse(
    phoneNumber,
    "PHONE_SYSTEM_NOT_FOUND",
    "has the id of an unknown phone system: correct the id in the list",
  );
}

function refuse(phoneNumber: string, reason: string, problem: string): RefusedTrackingNumber {
  return {
    $typeName: "calltracking.v1.RefusedTrackingNumber",
    ...{ phoneNumber, reason, message: `${phoneNumber} ${problem}` },
  };
}

/**
 * Returns why a number was rejected; undefined if the inventory now has the number as requested.
 *
 * @param known the existing number; undefined if the number was added.
 */
function refusalOf(
  { phoneNumber, areaCode }: NewTrackingNumber,
  known: ExistingTrackingNumber | undefined,
): RefusedTrackingNumber | undefined {
  if (known === undefined) return undefined;
  if (known.area_code === null) {
    return refuse(phoneNumber, "NUMBER_IS_ORIGINAL", "is registered as an original number: remove it from the list");
  }
  if (known.state === "retired") return refuse(phoneNumber, "NUMBER_RETIRED", "is retired: use another number");
  if (known.area_code !== areaCode) {
    return refuse(
      phoneNumber,
      "NUMBER_HAS_OTHER_AREA_CODE",
      `is in the inventory with area code ${known.area_code}: correct the area code in the list`,
    );
  }
  return undefined;
}
