/** Records in the history of numbers that each call tracker has had its number for a day. Calls are attributed by this history. */
export const INSERT_HOLDERS = `
  insert into tracking_number_holders (phone_number, held_from, call_tracker_id, account_id, pool_id)
  select phone_number, now() - interval '1 day', call_tracker_id, account_id, pool_id from tracking_numbers
  where call_tracker_id is not null`;
