import type { Generated } from "kysely";

/** Who has held each number of the inventory, from when on: until its next holder, also after it was given back. */
export interface TrackingNumberHolderTable {
  readonly phone_number: string;
  readonly held_from: Date;
  readonly call_tracker_id: string;
  readonly account_id: number;
  readonly pool_id: string;
}

/**
 * The inventory: numbers that call trackers can have. Beside them stand the numbers that accounts have registered as their own, as
 * retired from the start, so that no number is ever both.
 */
export interface TrackingNumberTable {
  readonly phone_number: string;
  /** Null if the number never was one of the inventory, but an account's own. */
  readonly area_code: string | null;
  readonly state: Generated<"free" | "assigned" | "retiring" | "retired">;
  /** From when on a free number may be assigned: a number that was given back may rest until then. */
  readonly free_from: Generated<Date>;
  /** Who holds the number or held it last; null if it never had a holder. */
  readonly account_id: number | null;
  readonly pool_id: string | null;
  readonly call_tracker_id: string | null;
  /** When the last holder gave it back; null if none did or it is held. */
  readonly returned_at: Date | null;
  /** Whether the call tracker that holds it, or held it last, is to be deleted in its next pass, as the number is being retired. */
  readonly retires_immediately: Generated<boolean>;
  /** Whether an account has registered the number. */
  readonly is_original: Generated<boolean>;
  readonly created_at: Generated<Date>;
  readonly updated_at: Generated<Date>;
}
