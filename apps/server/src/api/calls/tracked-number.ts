import { type Executor, listColumnNames } from "@calltrack/postgres";
import type { Selectable } from "kysely";
import { prepareLookup } from "../../database/prepared-statement.js";
import type { TrackingNumberTable } from "../../database/tables/schema.js";
import type { NumberHolder } from "./number-holders.js";

/** The columns of a tracking number that determine the route of its calls. */
export const NUMBER_WITH_HOLDER_COLUMN_TYPES = {
  phone_number: "text",
  state: "text",
  account_id: "value",
  pool_id: "text",
  call_tracker_id: "text",
  phone_system_id: "text",
  returned_at: "time",
} as const;

/** A tracking number with its current or last holder. The holder's columns are null if the number never had a holder. */
export type NumberWithHolderRow = Pick<Selectable<TrackingNumberTable>, keyof typeof NUMBER_WITH_HOLDER_COLUMN_TYPES>;

/** Finds a number in the inventory, or one that is excluded from the inventory. */
export const findNumberWithHolderStatement = prepareLookup<{ phoneNumber: string }, NumberWithHolderRow>(
  { phoneNumber: "text" },
  (db, parameter) =>
    db
      .selectFrom("tracking_numbers")
      .select(listColumnNames(NUMBER_WITH_HOLDER_COLUMN_TYPES))
      .where("phone_number", "=", parameter("phoneNumber")),
);

/** Returns the current or last holder of a number; undefined if the number never had a holder. */
export function parseLastHolder({
  account_id: accountId,
  pool_id: poolId,
  call_tracker_id: callTrackerId,
}: Pick<NumberWithHolderRow, "account_id" | "pool_id" | "call_tracker_id">): NumberHolder | undefined {
  if (accountId === null || poolId === null || callTrackerId === null) return undefined;
  return { accountId, poolId, callTrackerId };
}

/** Reports whether a call tracker holds a number now. */
export function hasCurrentHolder({ state }: Pick<NumberWithHolderRow, "state">): boolean {
  return state === "assigned" || state === "retiring";
}

/** Returns those of the given numbers that are tracking numbers and not retired. Calls that are connected to such a number could loop. */
export async function findTrackingNumbersAmong(db: Executor, numbers: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await Promise.all(numbers.map((phoneNumber) => findNumberWithHolderStatement(db, { phoneNumber })));
  return new Set(found.flat().flatMap(({ phone_number, state }) => (state === "retired" ? [] : phone_number)));
}
