import type { Executor } from "@calltrack/postgres";
import { areaCodesStatement, freeAreaCodesStatement, nextRestEndStatement } from "./number-supply-statements.js";

/** Those of the area codes of which there are free numbers. */
export async function findFreeAreaCodes(db: Executor, areaCodes: readonly string[]): Promise<string[]> {
  if (areaCodes.length === 0) return [];
  return (await freeAreaCodesStatement(db, { areaCodes })).map((row) => row.area_code);
}

/** The area codes of numbers of the inventory, by the number. */
export async function findAreaCodes(db: Executor, numbers: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (numbers.length === 0) return new Map();
  const rows = await areaCodesStatement(db, { numbers });
  return new Map(rows.map((row) => [row.phone_number, row.area_code]));
}

/** When the first number of the area codes has rested that was resting at a moment, or undefined if none was. */
export async function findNextRestEnd(
  db: Executor,
  areaCodes: readonly string[],
  since: Date,
): Promise<Date | undefined> {
  if (areaCodes.length === 0) return undefined;
  const [row] = await nextRestEndStatement(db, { areaCodes, since });
  return row?.free_from ?? undefined;
}
