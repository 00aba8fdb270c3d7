import { type PoolExplanation, pluralize } from "@calltrack/domain";
import type { PassTrackerRow, PoolWithLastPassRow } from "./pass-statements.js";

/**
 * Returns human-readable warnings about a pool.
 *
 * @param unattributed the number of visits that were counted without a source.
 * @param overridingPoolId the pool whose numbers pages show instead of this pool's numbers; undefined if there is none.
 */
export function listPoolWarnings(
  explanation: PoolExplanation,
  pool: PoolWithLastPassRow,
  rows: readonly PassTrackerRow[],
  unattributed: number,
  overridingPoolId: string | undefined,
): string[] {
  const warnings = [
    ...(pool.is_active ? capacityWarnings(explanation, pool, rows) : [FROZEN]),
    pool.is_dni && pool.property_token === null && NOT_SHOWN,
    overridingPoolId !== undefined &&
      `pool ${overridingPoolId} replaces the same number on the same property: pages show the numbers of this pool only for sources without a number in that pool`,
    unattributed > 0 &&
      `no source was stored for ${pluralize(unattributed, "visit")}, because the property had too many sources`,
    pool.is_active && pool.failures > 0 && `the last ${pluralize(pool.failures, "attempt")} to manage the pool failed`,
  ];
  return warnings.filter((warning) => warning !== false);
}

const FROZEN = "call tracking is disabled for the account: the pool does not change";

/** The warning about a DNI pool without a property. Web pages request numbers for a property, and the property of a pool never changes. */
const NOT_SHOWN =
  "no page can show the numbers of this pool, because it has no property: create a pool for DNI with a property_token";

function capacityWarnings(
  { unserved, missing, advisedSize, retiring }: PoolExplanation,
  pool: PoolWithLastPassRow,
  rows: readonly PassTrackerRow[],
): (string | false)[] {
  const isLargeEnough = advisedSize !== undefined && advisedSize <= pool.size;
  const remedy = advisedSize === undefined ? ": raise utilization" : `: raise size to ${advisedSize}`;
  const unsettled = retiring.filter(({ deletedAt }) => deletedAt === undefined).length;
  return [
    unserved.length > 0 &&
      `${pluralize(unserved.length, "source")} without a call tracker${isLargeEnough ? "" : remedy}`,
    missing > 0 && `the inventory lacks ${pluralize(missing, "number")} of area code ${pool.area_code}: add numbers`,
    rows.length > pool.size &&
      `the pool holds ${rows.length} call trackers, but its size is ${pool.size}: active and flagged call trackers stay until they become available`,
    unsettled > 0 &&
      `flag ${pluralize(unsettled, "call tracker")} whose ${unsettled === 1 ? "number is" : "numbers are"} being retired`,
  ];
}
