import type { Generated } from "kysely";

/** What is known of a property's visits of one UTC day. */
export interface VisitDayTable {
  readonly account_id: number;
  readonly property_token: string;
  /** `2026-11-21` */
  readonly day: string;
  /** How many rows `visit_counts` has for the day. */
  readonly sources: Generated<number>;
  /** Visits that are counted without their source, as there were too many sources. */
  readonly unattributed: Generated<string>;
}

/** The visits of a property by source, medium and UTC day. */
export interface VisitCountTable {
  readonly account_id: number;
  readonly property_token: string;
  readonly day: string;
  readonly source: string;
  readonly medium: string;
  readonly visits: string;
}

/** The records that were counted lately. */
export interface VisitEventTable {
  readonly account_id: number;
  /** The record's `event_id` if that is a UUID, else one that is made of its hash. */
  readonly event_key: string;
  readonly recorded_at: Generated<Date>;
}
