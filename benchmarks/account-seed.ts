import type pg from "pg";

/** Inserts accounts with the ids 1 to `count`, each with a registered phone number. */
export async function insertAccounts(client: pg.Client, count: number): Promise<void> {
  await client.query(INSERT_ACCOUNTS, [count]);
  await client.query(INSERT_HANDLES);
  await client.query(INSERT_PHONE_NUMBERS);
}

const INSERT_ACCOUNTS = `
  insert into accounts (account_token)
  select 'acct_' || md5(n::text) from generate_series(1, $1::integer) n order by n`;

const INSERT_HANDLES = `
  insert into account_handles (handle, account_id, account_token)
  select account_token, id, account_token from accounts
  union all select id::text, id, account_token from accounts`;

const INSERT_PHONE_NUMBERS = `
  insert into phone_numbers (account_id, phone_number) select id, '+1' || (2220000000 + id) from accounts`;
