import { type Selectable, sql } from "kysely";
import { prepareStatement } from "../storage/prepared-statement.js";
import type { PhoneNumberTable } from "./phone-number-table.js";

const COLUMNS = ["id", "phone_number", "description", "property_token", "created_at", "updated_at"] as const;

const QUALIFIED_COLUMNS = COLUMNS.map((column) => `number.${column}` as const);

/** A phone number as it is read, with its account's token. */
export type PhoneNumberRow = Pick<Selectable<PhoneNumberTable>, (typeof COLUMNS)[number]> & {
  readonly account_token: string;
};

/** A row of an outer join from an account: all columns but the account's are null where there is nothing to join. */
export type JoinedRow = PhoneNumberRow | (Record<(typeof COLUMNS)[number], null> & { readonly account_token: string });

/** See `insertPhoneNumber`. */
export const insertStatement = prepareStatement<
  { account: string; phoneNumber: string; description: string | null; propertyToken: string | null },
  PhoneNumberRow
>((db, parameter) =>
  db
    .with("account", (cte) =>
      cte
        .selectFrom("account_handles")
        .select(["account_id", "account_token"])
        .where("handle", "=", parameter("account")),
    )
    .insertInto("phone_numbers")
    .columns(["account_id", "phone_number", "description", "property_token"])
    .expression((from) =>
      from
        .selectFrom("account")
        .select([
          "account_id",
          sql<string>`${parameter("phoneNumber")}::text`.as("phone_number"),
          sql<string | null>`${parameter("description")}::text`.as("description"),
          sql<string | null>`${parameter("propertyToken")}::text`.as("property_token"),
        ]),
    )
    .returning([...COLUMNS, sql<string>`(select account_token from account)`.as("account_token")]),
);

/** See `findPhoneNumber`. */
export const findStatement = prepareStatement<{ account: string; id: string | null }, JoinedRow>((db, parameter) =>
  db
    .selectFrom("account_handles as handle")
    .leftJoin("phone_numbers as number", (join) =>
      join.onRef("number.account_id", "=", "handle.account_id").on("number.id", "=", parameter("id")),
    )
    .select(["handle.account_token", ...QUALIFIED_COLUMNS])
    .where("handle.handle", "=", parameter("account"))
    .$castTo<JoinedRow>(),
);

/** See `findPhoneNumberId`. */
export const findIdStatement = prepareStatement<{ account: string; phoneNumber: string }, { id: string }>(
  (db, parameter) =>
    db
      .selectFrom("account_handles as handle")
      .innerJoin("phone_numbers as number", "number.account_id", "handle.account_id")
      .select("number.id")
      .where("handle.handle", "=", parameter("account"))
      .where("number.phone_number", "=", parameter("phoneNumber")),
);

/** See `listPhoneNumbers`. */
export const listStatement = prepareStatement<
  { account: string; after: string; limit: number | null },
  JoinedRow & { account_id: number }
>((db, parameter) =>
  db
    .selectFrom("account_handles as handle")
    // Lateral, so that the order and the limit are those of the index, however many rows the account has.
    .leftJoinLateral(
      (from) =>
        from
          .selectFrom("phone_numbers")
          .select(COLUMNS)
          .whereRef("phone_numbers.account_id", "=", "handle.account_id")
          .where("id", ">", parameter("after"))
          .orderBy("id")
          .limit(sql<number>`${parameter("limit")}`)
          .as("number"),
      (join) => join.onTrue(),
    )
    .select(["handle.account_id", "handle.account_token", ...QUALIFIED_COLUMNS])
    .where("handle.handle", "=", parameter("account"))
    .$castTo<JoinedRow & { account_id: number }>(),
);
