import type { RankedSource } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import { rankSourcesStatement, summariseSourcesStatement, type WindowParameters } from "./source-statements.js";

/** What is known of all sources of a property within the window. */
export interface SourceSummary {
  /** How many sources had visits; of a day with too many, only those that were kept apart. */
  readonly sources: number;
  /** How many visits are counted without their source. */
  readonly unattributed: number;
}

/**
 * The sources of a property with more visits than a threshold within the window, limit visits first: the first `limit` of them,
 * and all that have as many visits as the last of these.
 */
export function rankSources(
  db: Executor,
  wanted: Readonly<WindowParameters> & { readonly threshold: number; readonly limit: number },
): Promise<RankedSource[]> {
  return rankSourcesStatement(db, wanted);
}

/** How many sources a property has within the window, and how many visits without one. */
export async function summariseSources(db: Executor, window: Readonly<WindowParameters>): Promise<SourceSummary> {
  const [row] = await summariseSourcesStatement(db, window);
  return row ?? { sources: 0, unattributed: 0 };
}
