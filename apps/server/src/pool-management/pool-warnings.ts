import { type PoolExplanation, pluralize } from "@calltrack/domain";
import type { PassTrackerRow, PoolWithLastPassRow } from "./pass-statements.js";

/**
 * Returns human-readable warnings about a pool.
 *
 * @param unattributed the number of visits that were counted without a source.
 * @param precedingPoolId the pool whose numbers pages show instead; undefined if there is none.
 */
export function listPoolWarnings(
  explanation: PoolExplanation,
  pool: PoolWithLastPassRow,
  rows: readonly PassTrackerRow[],
  unattributed: number,
  precedingPoolId: string | undefined,
): string[] {
  const warnings = [
    ...(pool.is_active ? capacityWarnings(explanation, pool, rows) : [FROZEN]),
    pool.is_dni && pool.property_token === null && NOT_SHOWN,
    precedingPoolId !== undefined &&
      `pages show a number from pool ${precedingPoolId} instead if it has one: both pools replace the same number on one property`,
    unattributed > 0 &&
      `${pluralize(unattributed, "visit")} counted without a source, because the property had too many sources`,
    pool.is_active && pool.failures > 0 && `the last ${pluralize(pool.failures, "attempt")} to manage the pool failed`,
  ];
  return warnings.filter((warning) => warning !== false);
}

const FROZEN = "call tracking is disabled for the account: the pool does not change";

/** Pages request numbers by property, and the property of a pool never changes. */
const NOT_SHOWN =
  "no page can show its numbers, because it has no property: create a pool for DNI with a property_token";

function capacityWarnings(
  { unserved, missing, advisedSize, retiring }: PoolExplanation,
  pool: PoolWithLastPassRow,
  rows: readonly PassTrackerRow[],
): (string | false)[] {
  const isLargeEnough = advisedSize !== undefined && advisedSize <= pool.size;
  const remedy = advisedSize === undefined ? ": raise utilization" : `: raise size to ${advisedSize}`;
  const unsettled = retiring.filter(({ deletedAt }) => deletedAt === undefined).length;
  return [
    unserved.length > 0 && `${pluralize(unserved.length, "source")} not served${isLargeEnough ? "" : remedy}`,
    missing > 0 && `the inventory lacks ${pluralize(missing, "number")} of area code ${pool.area_code}: add some`,
    rows.length > pool.size &&
      `the pool holds ${rows.length} call trackers, but its size is ${pool.size}: active and flagged ones stay until they are free`,
    unsettled > 0 &&
      `flag ${pluralize(unsettled, "call tracker")} whose ${unsettled === 1 ? "number is" : "numbers are"} being retired`,
  ];
}
