import type { Generated } from "kysely";

/** The inventory: numbers that call trackers can have. */
export interface TrackingNumberTable {
  readonly phone_number: string;
  readonly area_code: string;
  readonly state: Generated<"free" | "assigned" | "retiring" | "retired">;
  /** From when on a free number may be assigned: a number that was given back may rest until then. */
  readonly free_from: Generated<Date>;
  /** Who holds the number or held it last; null if it never had a holder. */
  readonly account_id: number | null;
  readonly pool_id: string | null;
  readonly call_tracker_id: string | null;
  /** When the last holder gave it back; null if none did or it is held. */
  readonly returned_at: Date | null;
  readonly created_at: Generated<Date>;
  readonly updated_at: Generated<Date>;
}
