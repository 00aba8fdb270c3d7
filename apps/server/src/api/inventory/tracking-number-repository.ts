import type { NewTrackingNumber, parseListTrackingNumbersRequest } from "@calltrack/domain";
import {
  type TrackingNumber,
  type TrackingNumberCount,
  TrackingNumberState,
} from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import type { Executor } from "@calltrack/postgres";
import type { PageBounds, PagedList } from "../../database/page.js";
import { createStoredEnum, getStoredEnumName } from "../../database/stored-enum.js";
import type { ChangeOrigin } from "../../database/tables/schema.js";
import { toTimestamp } from "../../database/timestamp.js";
import {
  addTrackingNumbersStatement,
  assignPhoneSystemsStatement,
  countTrackingNumbersByAreaCodeStatement,
  countTrackingNumbersStatement,
  type ExistingTrackingNumber,
  LIST_STATEMENTS_BY_STATE,
  listTrackingNumbersByAreaCodeStatement,
  listTrackingNumbersStatement,
  type TrackingNumberRow,
} from "./tracking-number-statements.js";

const STATES = createStoredEnum(TrackingNumberState);

export const TRACKING_NUMBER_PAGED_LIST: PagedList<TrackingNumber> = {
  name: "tracking_numbers",
  keyOf: (number) => number.phoneNumber,
  isKey: (text) => /^\+\d+$/.test(text),
};

/**
 * Adds numbers to the inventory, and assigns existing numbers to the given phone systems.
 *
 * @param numbers must refer only to existing phone systems.
 * @returns the existing numbers, which were not added, keyed by phone number.
 */
export async function addTrackingNumbers(
  db: Executor,
  numbers: readonly NewTrackingNumber[],
  origin: ChangeOrigin,
): Promise<ReadonlyMap<string, ExistingTrackingNumber>> {
  const known = new Map<string, ExistingTrackingNumber>();
  let rest = numbers;
  while (rest.length > 0) {
    const rows = await addTrackingNumbersStatement(db, {
      numbers: JSON.stringify(rest),
      origin: JSON.stringify(origin),
    });
    for (const row of rows) if (!row.is_added) known.set(row.phone_number, row);
    const settled = new Set(rows.map((row) => row.phone_number));
    // Numbers without a row were added by concurrent transactions after the statement began. The next statement finds them.
    rest = rest.filter(({ phoneNumber }) => !settled.has(phoneNumber));
  }
  const moved = numbers.filter((number) => isMoved(number, known.get(number.phoneNumber)));
  if (moved.length > 0) {
    const phoneNumbers = moved.map(({ phoneNumber }) => phoneNumber);
    await assignPhoneSystemsStatement(db, {
      phoneNumbers,
      numbers: JSON.stringify(moved),
      origin: JSON.stringify(origin),
    });
  }
  return known;
}

function isMoved({ areaCode, phoneSystemId }: NewTrackingNumber, known: ExistingTrackingNumber | undefined): boolean {
  const isInInventory = known?.area_code === areaCode && known.state !== "retired";
  return isInInventory && phoneSystemId !== undefined && known.phone_system_id !== phoneSystemId;
}

/** Lists the numbers in the inventory that match a filter, in the order of their digits, after the number `after`. */
export async function listTrackingNumbers(
  db: Executor,
  { areaCode, state }: Omit<ReturnType<typeof parseListTrackingNumbersRequest>, "page">,
  { after = "", limit }: PageBounds,
): Promise<TrackingNumber[]> {
  const stored = state === undefined ? undefined : getStoredEnumName(TrackingNumberState, state);
  const list = stored === undefined ? listTrackingNumbersStatement : LIST_STATEMENTS_BY_STATE[stored];
  const rows = await (areaCode === undefined
    ? list(db, { after, limit })
    : listTrackingNumbersByAreaCodeStatement(db, { areaCode, state: stored ?? null, after, limit }));
  return rows.map(toTrackingNumberMessage);
}

/** Counts numbers by area code and state: in one area code, or in all area codes if `areaCode` is undefined. */
export async function countTrackingNumbers(db: Executor, areaCode: string | undefined): Promise<TrackingNumberCount[]> {
  const rows = await (areaCode === undefined
    ? countTrackingNumbersStatement(db, {})
    : countTrackingNumbersByAreaCodeStatement(db, { areaCode }));
  return rows.map(({ area_code: areaCode, ...counts }) => ({
    $typeName: "calltracking.v1.TrackingNumberCount",
    areaCode,
    ...counts,
  }));
}

export function toTrackingNumberMessage(row: TrackingNumberRow): TrackingNumber {
  return {
    $typeName: "calltracking.v1.TrackingNumber",
    phoneNumber: row.phone_number,
    areaCode: row.area_code,
    state: STATES[row.state],
    accountId: row.account_id ?? undefined,
    poolId: row.pool_id ?? undefined,
    callTrackerId: row.call_tracker_id ?? undefined,
    restsUntil: row.state === "resting" ? toTimestamp(row.free_from) : undefined,
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
    retiresImmediately: row.retires_immediately,
    phoneSystemId: row.phone_system_id ?? undefined,
  };
}
