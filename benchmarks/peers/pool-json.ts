import type { PoolRow } from "./pool-statements.ts";

/** Returns the documented JSON object of a pool: the fields in order, and no others. */
export function poolJson(row: PoolRow): PoolRow {
  return {
    id: row.id,
    original_number_id: row.original_number_id,
    account_token: row.account_token,
    area_code: row.area_code,
    description: row.description,
    is_dni: row.is_dni,
    is_prompted: row.is_prompted,
    is_recorded: row.is_recorded,
    pool_type: row.pool_type,
    property_token: row.property_token,
    size: row.size,
    utilization: row.utilization,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
