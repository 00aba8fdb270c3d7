import { type Selectable, sql } from "kysely";
import { auditCte } from "../../database/audit-cte.js";
import { prepareLookup, prepareStatement } from "../../database/prepared-statement.js";
import type { PhoneNumberTable } from "../../database/tables/schema.js";
import { excludeFromInventory } from "../inventory/exclude-from-inventory.js";

/** The columns of a phone number that the API returns. */
export const PHONE_NUMBER_COLUMNS = [
  "id",
  "phone_number",
  "description",
  "property_token",
  "created_at",
  "updated_at",
] as const;

/** The audit log's description of a phone number's registration. */
export const AUDITED_PHONE_NUMBER = {
  type: "phone_number",
  id: "id",
  columns: PHONE_NUMBER_COLUMNS,
  after: "registered",
  sharesId: true,
} as const;

/** The columns of a phone number that the API returns, as a row. */
export type PhoneNumberRow = Pick<Selectable<PhoneNumberTable>, (typeof PHONE_NUMBER_COLUMNS)[number]>;

/** See `insertPhoneNumber`. */
export const insertPhoneNumberStatement = prepareStatement<
  { accountId: number; phoneNumber: string; description: string | null; propertyToken: string | null; origin: string },
  PhoneNumberRow
>((db, parameter) =>
  db
    .with("registered", (cte) =>
      cte
        .insertInto("phone_numbers")
        .values({
          account_id: parameter("accountId"),
          phone_number: parameter("phoneNumber"),
          description: parameter("description"),
          property_token: parameter("propertyToken"),
        })
        .returning(PHONE_NUMBER_COLUMNS),
    )
    .with("kept_out", (cte) => excludeFromInventory(cte))
    .with("audited", () =>
      auditCte({ ...AUDITED_PHONE_NUMBER, accountId: parameter("accountId"), origin: parameter("origin") }),
    )
    .selectFrom("registered")
    .select(PHONE_NUMBER_COLUMNS),
);

/** See `findPhoneNumber`. */
export const findPhoneNumberStatement = prepareLookup<{ accountId: number; id: string }, PhoneNumberRow>(
  { accountId: "integer", id: "uuid" },
  (db, parameter) =>
    db
      .selectFrom("phone_numbers")
      .select(PHONE_NUMBER_COLUMNS)
      .where("account_id", "=", parameter("accountId"))
      .where("id", "=", parameter("id")),
);

/** Finds the id of an account's phone number. Returns no row if the number is not registered. */
export const findPhoneNumberId = prepareStatement<{ accountId: number; phoneNumber: string }, { id: string }>(
  (db, parameter) =>
    db
      .selectFrom("phone_numbers")
      .select("id")
      .where("account_id", "=", parameter("accountId"))
      .where("phone_number", "=", parameter("phoneNumber")),
);

/** See `listPhoneNumbers`. */
export const listPhoneNumbersStatement = prepareStatement<
  { accountId: number; after: string; limit: number | null },
  PhoneNumberRow
>((db, parameter) =>
  db
    .selectFrom("phone_numbers")
    .select(PHONE_NUMBER_COLUMNS)
    .where("account_id", "=", parameter("accountId"))
    .where("id", ">", parameter("after"))
    .orderBy("id")
    .limit(sql<number>`${parameter("limit")}`),
);
