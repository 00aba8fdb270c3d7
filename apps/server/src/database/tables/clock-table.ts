import type { Generated } from "kysely";

/** One row: how far the time by which pools are managed is ahead of the database's. */
export interface ClockTable {
  readonly only_row: Generated<boolean>;
  /** An interval, which `pg` and PGlite read in different ways: read it as part of a sum. */
  readonly advanced: Generated<string>;
}
