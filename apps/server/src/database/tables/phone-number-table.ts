import type { Generated, GeneratedAlways } from "kysely";

/** The phone numbers that accounts have registered. */
export interface PhoneNumberTable {
  readonly account_id: number;
  /** A UUIDv7 by the database's clock, so that the order of ids is the order of creation. */
  readonly id: Generated<string>;
  readonly phone_number: string;
  readonly description: string | null;
  readonly property_token: string | null;
  readonly created_at: GeneratedAlways<Date>;
  readonly updated_at: GeneratedAlways<Date>;
}
