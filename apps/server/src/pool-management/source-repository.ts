import type { RankedSource } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import { rankSourcesStatement, summariseSourcesStatement, type WindowParameters } from "./source-statements.js";

/** Totals over the sources of a property within the visit window. */
export interface SourceSummary {
  /** Number of sources with visits. Pruned sources of days over the limit are not counted. */
  readonly sources: number;
  /** Number of visits counted without their source. */
  readonly unattributed: number;
}

/**
 * Returns the sources of a property with more visits than a threshold within the window, most visits first. Returns
 * the first `limit` of them, and all that tie with the last of these.
 */
export function rankSources(
  db: Executor,
  wanted: Readonly<WindowParameters> & { readonly threshold: number; readonly limit: number },
): Promise<RankedSource[]> {
  return rankSourcesStatement(db, wanted);
}

/** Returns the number of sources of a property within the window, and its visits without a source. */
export async function summariseSources(db: Executor, window: Readonly<WindowParameters>): Promise<SourceSummary> {
  const [row] = await summariseSourcesStatement(db, window);
  return row ?? { sources: 0, unattributed: 0 };
}
