import type { Generated } from "kysely";

/** The tables of the Kysely queries, declared as Kysely's documentation advises. */
export interface Database {
  accounts: { id: Generated<number>; account_token: string; is_active: boolean };
  account_handles: { handle: string; account_id: number; account_token: string };
  phone_numbers: { id: Generated<string>; account_id: number; phone_number: string };
  pools: PoolTable;
  pool_passes: { account_id: number; pool_id: string; property_token: string | null };
  audit_entries: AuditEntryTable;
}

export interface PoolTable {
  account_id: number;
  id: Generated<string>;
  original_number_id: string;
  area_code: string;
  description: string | null;
  is_dni: boolean;
  is_prompted: boolean;
  is_recorded: boolean;
  pool_type: "manual" | "automanaged";
  property_token: string | null;
  size: number;
  utilization: number | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

export interface AuditEntryTable {
  account_id: number;
  id: string;
  method: string;
  actor_kind: string;
  resource_type: string;
  resource_id: string;
  after: unknown;
}
