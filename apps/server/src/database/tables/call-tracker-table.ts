import type { Retirement } from "@calltrack/domain";
import type { Generated, GeneratedAlways } from "kysely";

/** The call trackers of pools. */
export interface CallTrackerTable {
  readonly account_id: number;
  readonly pool_id: string;
  /** A UUIDv7 by the database's clock, so that the order of ids is the order of creation. */
  readonly id: Generated<string>;
  readonly tracking_number: string;
  readonly status: Generated<"available" | "active" | "flagged">;
  /** Null unless an automanaged pool's call tracker is active or flagged; so is `medium`. */
  readonly source: string | null;
  readonly medium: string | null;
  readonly description: string | null;
  readonly created_at: Generated<Date>;
  /** When it last became available: the one that has been so longest is used next. */
  readonly available_since: Generated<Date>;
  /** When it was flagged; null if it is not. */
  readonly dropped_at: Date | null;
  /** Null unless its number is being retired. */
  readonly retirement: Retirement | null;
  readonly updated_at: Generated<Date>;
}

/** Every change of every call tracker, also of those that are deleted. */
export interface CallTrackerChangeTable {
  readonly account_id: number;
  readonly pool_id: string;
  /** Grows in the order of the changes of a pool. */
  readonly id: GeneratedAlways<string>;
  readonly call_tracker_id: string;
  readonly tracking_number: string;
  readonly kind: "added" | "activated" | "flagged" | "unflagged" | "deactivated" | "deleted" | "described" | "retiring";
  readonly source: string | null;
  readonly medium: string | null;
  readonly reason: string;
  readonly occurred_at: Generated<Date>;
}

/** When each pool is to be managed next, and how that went last. */
export interface PoolPassTable {
  readonly account_id: number;
  readonly pool_id: string;
  /** The property whose visits make the pool due; null if it is manual. */
  readonly property_token: string | null;
  /** `Infinity` if nothing is going to change by itself, and while the pool is managed until something makes it due again. */
  readonly due_at: Generated<Date | number>;
  /** Null unless a server has taken the pool to manage it: it is due to others then, should that server have died. */
  readonly leased_until: Date | null;
  readonly passed_at: Date | null;
  /** The area code of which the inventory had too few numbers to fill the pool; null if it is full. */
  readonly wanted_area_code: string | null;
  readonly missing_numbers: Generated<number>;
  readonly unserved_sources: Generated<number>;
  /** Attempts that failed since the last that did not. */
  readonly failures: Generated<number>;
  readonly last_failure: string | null;
}
