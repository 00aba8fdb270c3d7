import { create } from "@bufbuild/protobuf";
import {
  type NewTrackingNumber,
  parseAddTrackingNumbers,
  parseCountTrackingNumbers,
  parseListTrackingNumbers,
  parseRetireTrackingNumber,
} from "@calltrack/domain";
import {
  type AddTrackingNumbersResponse,
  AddTrackingNumbersResponseSchema,
  CountTrackingNumbersResponseSchema,
  type InventoryService,
  ListTrackingNumbersResponseSchema,
  type RefusedTrackingNumber,
  type TrackingNumber,
} from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import type { ServiceImpl } from "@connectrpc/connect";
import { changeOriginOf } from "../../access/change-origin.js";
import { createRequestKey } from "../../access/create-request-key.js";
import { createOnce } from "../../database/idempotency/create-once.js";
import { NO_ACCOUNT, type RequestKey } from "../../database/idempotency/request-key.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import { type PagedList, readPage } from "../../database/page.js";
import type { ChangeOrigin } from "../../database/tables/schema.js";
import { retireTrackingNumber } from "./number-retirement.js";
import { addTrackingNumbers, countTrackingNumbers, listTrackingNumbers } from "./tracking-number-repository.js";
import type { ExistingNumber } from "./tracking-number-statements.js";

const TRACKING_NUMBERS: PagedList<TrackingNumber> = {
  name: "tracking_numbers",
  keyOf: (number) => number.phoneNumber,
  isKey: (text) => /^\+\d+$/.test(text),
};

/** Maximum number of refused numbers in an import's response, so that it fits into a message. */
const MAX_REFUSED = 10_000;

/**
 * Creates the implementation of InventoryService.
 *
 * @param runner is woken when pools can take new numbers or must replace one.
 */
export function createInventoryService(
  { db }: DatabaseAccess,
  runner: { wake(): void },
): ServiceImpl<typeof InventoryService> {
  async function add(
    numbers: readonly NewTrackingNumber[],
    origin: ChangeOrigin,
    key?: RequestKey,
  ): Promise<AddTrackingNumbersResponse> {
    const response = await createOnce(db, key, async (executor) => {
      const known = await addTrackingNumbers(executor, numbers, origin);
      const refused = numbers.flatMap((number) => refusalOf(number, known.get(number.phoneNumber)) ?? []);
      const added = numbers.length - known.size;
      return create(AddTrackingNumbersResponseSchema, { added, alreadyThere: known.size - refused.length, refused });
    });
    if (response.added > 0) runner.wake();
    return response;
  }

  return {
    async addTrackingNumbers(request, context) {
      const { numbers, requestId } = parseAddTrackingNumbers(request);
      return add(numbers, changeOriginOf(context), createRequestKey(requestId, request, context, NO_ACCOUNT));
    },

    async importTrackingNumbers(requests, context) {
      const sum = create(AddTrackingNumbersResponseSchema);
      for await (const request of requests) {
        const { numbers } = parseAddTrackingNumbers(request);
        const { added, alreadyThere, refused } = await add(numbers, changeOriginOf(context));
        sum.added += added;
        sum.alreadyThere += alreadyThere;
        sum.refused.push(...refused.slice(0, MAX_REFUSED - sum.refused.length));
      }
      return sum;
    },

    async listTrackingNumbers(request) {
      const { page, ...filter } = parseListTrackingNumbers(request);
      const { entries, nextPageToken } = await readPage(TRACKING_NUMBERS, page, async (bounds) => ({
        // Page tokens of one filter are invalid for another.
        owner: [filter.areaCode, filter.state].join(),
        entries: await listTrackingNumbers(db, filter, bounds),
      }));
      return create(ListTrackingNumbersResponseSchema, { trackingNumbers: entries, nextPageToken });
    },

    async countTrackingNumbers(request) {
      const counts = await countTrackingNumbers(db, parseCountTrackingNumbers(request).areaCode);
      return create(CountTrackingNumbersResponseSchema, { counts });
    },

    async retireTrackingNumber(request, context) {
      const retired = await retireTrackingNumber(db, parseRetireTrackingNumber(request), changeOriginOf(context));
      runner.wake();
      return retired;
    },
  };
}

/**
 * Explains why a number was not added to the inventory.
 *
 * @param known the existing number, or undefined if the new one was added.
 * @returns undefined if the inventory has the number as requested, added now or before.
 */
function refusalOf(
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
