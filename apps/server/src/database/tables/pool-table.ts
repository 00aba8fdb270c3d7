import type { Generated, GeneratedAlways } from "kysely";

/** The pools of accounts. */
export interface PoolTable {
  readonly account_id: number;
  /** A UUIDv7 by the database's clock, so that the order of ids is the order of creation. */
  readonly id: Generated<string>;
  readonly original_number_id: string;
  readonly area_code: string;
  readonly description: string | null;
  readonly is_dni: boolean;
  readonly is_prompted: boolean;
  readonly is_recorded: boolean;
  readonly pool_type: "manual" | "automanaged";
  readonly property_token: string | null;
  readonly size: number;
  /** Null for a manual pool, and for no other. */
  readonly utilization: number | null;
  readonly created_at: GeneratedAlways<Date>;
  readonly updated_at: Generated<Date>;
}
