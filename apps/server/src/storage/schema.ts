import type { AccountHandleTable, AccountTable } from "../accounts/account-table.js";
import type { PhoneNumberTable } from "../phone-numbers/phone-number-table.js";
import type { PoolTable } from "../pools/pool-table.js";

/** The tables of the database, as the newest migration leaves them. */
export interface Schema {
  readonly accounts: AccountTable;
  readonly account_handles: AccountHandleTable;
  readonly phone_numbers: PhoneNumberTable;
  readonly pools: PoolTable;
}
