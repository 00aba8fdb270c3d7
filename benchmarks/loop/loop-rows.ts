/** The id of the pool with 10 000 numbers. */
export const LOOP_POOL_ID = "019aa34f-5c1d-7e52-8c3a-000000000001";

/** Inserts 2000 pools, 20 000 entries of each other list that can be read as a whole without `page_size`, and 540 000 report groups. */
export const INSERT_LOOP_ROWS_STATEMENTS = `
  insert into accounts (account_token) select case n when 1 then 'acme' else 'account_' || n end from generate_series(1, 20000) n order by n;
  insert into account_handles (handle, account_id, account_token)
    select account_token, id, account_token from accounts union all select id::text, id, account_token from accounts;
  insert into phone_numbers (account_id, phone_number, description) select 1, '+1' || 2000000000 + n, repeat('é', 100) from generate_series(1, 20000) n;
  insert into pools (id, account_id, original_number_id, area_code, is_dni, is_prompted, is_recorded, pool_type, property_token, size, utilization)
    select case when row_number() over () = 1 then '${LOOP_POOL_ID}' else gen_random_uuid() end, account_id, id, '222', true, true, true, 'automanaged',
      case when row_number() over () = 1 then 'shop' else 'property ' || id end, 10000, 0.5 from phone_numbers limit 2000;
  insert into pool_passes (account_id, pool_id, property_token) select account_id, id, property_token from pools;
  insert into tracking_numbers (phone_number, area_code, state, account_id, pool_id, call_tracker_id)
    select '+1' || 3000000000 + n, '222', 'assigned', 1, '${LOOP_POOL_ID}', uuid_v7() from generate_series(0, 9999) n;
  insert into tracking_numbers (phone_number, area_code) select '+1' || 4000000000 + n, n % 900 + 100 from generate_series(1, 10000) n;
  insert into call_trackers (account_id, pool_id, id, tracking_number, status, source, medium)
    select account_id, pool_id, call_tracker_id, phone_number, 'active', 'source of ' || phone_number, 'cpc' from tracking_numbers where state = 'assigned';
  insert into tracking_number_holders (phone_number, held_from, call_tracker_id, account_id, pool_id)
    select phone_number, now() - interval '1 day', call_tracker_id, account_id, pool_id from tracking_numbers where state = 'assigned';
  insert into calls (account_id, call_id, tracking_number, caller_number, caller_key, started_at, is_start_sent, outcome, pool_id,
      call_tracker_id, original_number, property_token, source, medium, tracker_status, is_prompted, is_recorded)
    select account_id, phone_number, phone_number, '+1', gen_random_uuid(), now() - interval '1 hour', true, 'in_progress', pool_id,
      call_tracker_id, '+1', 'shop', 'source ' || phone_number, 'cpc', 'active', true, true from tracking_number_holders;
  insert into call_tracker_changes (account_id, pool_id, call_tracker_id, tracking_number, kind, source, medium, reason)
    select account_id, pool_id, id, tracking_number, 'activated', source, medium, 'reason' from call_trackers, generate_series(1, 2);
  insert into visit_days (account_id, property_token, day, sources) select 1, 'shop', current_date - n, 18000 from generate_series(0, 29) n;
  insert into visit_counts (account_id, property_token, day, source, medium, visits)
    select 1, property_token, day, 'source ' || n, 'cpc', n from visit_days, generate_series(1, 18000) n;
  insert into api_keys (prefix, hash, scopes, account_id, account_token)
    select 'ct_' || n, repeat('0', 64), '{read}', 1, 'acme' from generate_series(1, 20000) n;
  insert into audit_entries (account_id, method, actor_kind, resource_type, resource_id, after)
    select account_id, 'CreatePool', 'anonymous', 'pool', id::text, '{}' from pools;`;
