/** Adds rows to the history of numbers: each call tracker has held its number for a day. Calltrack uses this history to attribute calls. */
export const INSERT_HOLDERS = `
  insert into tracking_number_holders (phone_number, held_from, call_tracker_id, account_id, pool_id)
  select phone_number, now() - interval '1 day', call_tracker_id, account_id, pool_id from tracking_numbers
  where call_tracker_id is not null`;
