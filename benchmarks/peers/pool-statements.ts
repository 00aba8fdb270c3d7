// The statements of the peers that use SQL text, one per request.

const POOL_COLUMNS = `pool.id, pool.original_number_id, pool.area_code, pool.description, pool.is_dni, pool.is_prompted,
  pool.is_recorded, pool.pool_type, pool.property_token, pool.size, pool.utilization, pool.created_at, pool.updated_at`;

/** Selects a pool by account and id. Returns no row if the account does not exist, and a row of nulls if the pool does not exist. */
export const GET_POOL_STATEMENT = `
  select handle.account_token, ${POOL_COLUMNS}
  from account_handles handle
  left join pools pool on pool.account_id = handle.account_id and pool.id = $2
  where handle.handle = $1`;

/** Selects an account's pools, oldest first. Returns no row if the account does not exist, and a row of nulls if it has no pools. */
export const LIST_POOLS_STATEMENT = `
  select handle.account_token, ${POOL_COLUMNS}
  from account_handles handle
  left join pools pool on pool.account_id = handle.account_id
  where handle.handle = $1
  order by pool.id`;

/**
 * Creates a pool that is due for a pass, and its audit entry. Returns no row if the account is missing or disabled, or the number is not registered.
 */
export const CREATE_POOL_STATEMENT = `
  with account as (
    select handle.account_id, handle.account_token
    from account_handles handle join accounts on accounts.id = handle.account_id
    where handle.handle = $1 and accounts.is_active
    for share of accounts
  ), number as (
    select number.account_id, number.id
    from account join phone_numbers number on number.account_id = account.account_id
    where number.phone_number = $2
  ), pool as (
    insert into pools (account_id, original_number_id, area_code, description, is_dni, is_prompted, is_recorded,
      pool_type, property_token, size, utilization)
    select number.account_id, number.id, $3::text, $4::text, $5::boolean, $6::boolean, $7::boolean,
      $8::text, $9::text, $10::integer, $11::float8
    from number
    returning *
  ), pass as (
    insert into pool_passes (account_id, pool_id, property_token)
    select account_id, id, case pool_type when 'automanaged' then property_token end from pool
  ), entry as (
    insert into audit_entries (account_id, id, method, actor_kind, resource_type, resource_id, after)
    select pool.account_id, pool.id, 'CreatePool', 'anonymous', 'pool', pool.id::text, row_to_json(state)
    from pool cross join lateral (select ${POOL_COLUMNS}) as state
  )
  select ${POOL_COLUMNS}, account.account_token from pool join account on account.account_id = pool.account_id`;

/** Selects whether an account is active. Returns no row if the account does not exist. */
export const FIND_ACCOUNT_STATEMENT = `
  select accounts.is_active
  from account_handles handle join accounts on accounts.id = handle.account_id
  where handle.handle = $1`;

/** Matches a UUID. Servers check ids before they send a statement, because PostgreSQL fails for malformed UUIDs. */
export const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export interface PoolRow {
  readonly id: string;
  readonly original_number_id: string;
  readonly account_token: string;
  readonly area_code: string;
  readonly description: string | null;
  readonly is_dni: boolean;
  readonly is_prompted: boolean;
  readonly is_recorded: boolean;
  readonly pool_type: "manual" | "automanaged";
  readonly property_token: string | null;
  readonly size: number;
  readonly utilization: number | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}
