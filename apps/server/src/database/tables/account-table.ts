import type { Generated, GeneratedAlways } from "kysely";

/** The accounts that call tracking was enabled for. */
export interface AccountTable {
  readonly id: Generated<number>;
  readonly account_token: string;
  readonly is_active: Generated<boolean>;
  readonly created_at: GeneratedAlways<Date>;
  readonly updated_at: Generated<Date>;
}

/**
 * Every name that an account goes by: its token, and its id in canonical decimal. One unique index over both keeps a token
 * from ever meaning one account and an id another, and one probe of it resolves either.
 */
export interface AccountHandleTable {
  readonly handle: string;
  readonly account_id: number;
  /** The token of the account, which never changes: here so that a request need not read the account for it. */
  readonly account_token: string;
}
