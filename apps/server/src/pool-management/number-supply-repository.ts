import type { Executor } from "@calltrack/postgres";
import { areaCodesStatement, freeAreaCodesStatement, nextRestEndStatement } from "./number-supply-statements.js";

/** Returns those of the area codes that have free numbers. */
export async function findFreeAreaCodes(db: Executor, areaCodes: readonly string[]): Promise<string[]> {
  if (areaCodes.length === 0) return [];
  return (await freeAreaCodesStatement(db, { areaCodes })).map((row) => row.area_code);
}

/** Returns the area codes of numbers in the inventory, keyed by number. */
export async function findAreaCodes(db: Executor, numbers: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (numbers.length === 0) return new Map();
  const rows = await areaCodesStatement(db, { numbers });
  return new Map(rows.map((row) => [row.phone_number, row.area_code]));
}

/**
 * Returns when the next rest period ends among the numbers of the area codes. Ignores numbers that were not resting
 * at `since`. Returns undefined if there are none.
 */
export async function findNextRestEnd(
  db: Executor,
  areaCodes: readonly string[],
  since: Date,
): Promise<Date | undefined> {
  if (areaCodes.length === 0) return undefined;
  const [row] = await nextRestEndStatement(db, { areaCodes, since });
  return row?.free_from ?? undefined;
}
