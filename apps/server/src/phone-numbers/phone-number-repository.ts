import type { NewPhoneNumber } from "@calltrack/domain";
import type { PhoneNumber } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import { type Selectable, sql } from "kysely";
import { BEFORE_ALL_IDS, type PageBounds } from "../storage/page.js";
import { type Executor, prepareStatement } from "../storage/prepared-statement.js";
import { timestampOf } from "../storage/timestamp.js";
import type { PhoneNumberTable } from "./phone-number-table.js";

const COLUMNS = ["id", "phone_number", "description", "property_token", "created_at", "updated_at"] as const;

const QUALIFIED_COLUMNS = COLUMNS.map((column) => `number.${column}` as const);

type PhoneNumberRow = Pick<Selectable<PhoneNumberTable>, (typeof COLUMNS)[number]> & { readonly account_token: string };

/** A row of an outer join from an account: all columns but the account's are null where there is nothing to join. */
type JoinedRow = PhoneNumberRow | (Record<(typeof COLUMNS)[number], null> & { readonly account_token: string });

/**
 * Registers a phone number, in one statement.
 *
 * @returns undefined if there is no such account.
 * @throws the database's error for the constraint `phone_numbers_are_unique_per_account`.
 */
export async function insertPhoneNumber(db: Executor, phoneNumber: NewPhoneNumber): Promise<PhoneNumber | undefined> {
  const [row] = await insertStatement(db, {
    account: phoneNumber.account,
    phoneNumber: phoneNumber.phoneNumber,
    description: phoneNumber.description ?? null,
    propertyToken: phoneNumber.propertyToken ?? null,
  });
  return row && phoneNumberOf(row);
}

/**
 * The phone number of an account by its id.
 *
 * @param account the account's token or id.
 * @param id a UUID, or undefined for one that no phone number has.
 * @returns `"no account"` if there is no such account, `"no phone number"` if it has no such phone number.
 */
export async function findPhoneNumber(
  db: Executor,
  account: string,
  id: string | undefined,
): Promise<PhoneNumber | "no account" | "no phone number"> {
  const [row] = await findStatement(db, { account, id: id ?? null });
  if (row === undefined) return "no account";
  return row.id === null ? "no phone number" : phoneNumberOf(row);
}

/** The id of the phone number of an account, or undefined if it is not registered. */
export async function findPhoneNumberId(
  db: Executor,
  account: string,
  phoneNumber: string,
): Promise<string | undefined> {
  const [row] = await findIdStatement(db, { account, phoneNumber });
  return row?.id;
}

/**
 * Phone numbers of an account in the order of their registration, and the account's id as their owner; `after` is an id.
 *
 * @returns undefined if there is no such account.
 */
export async function listPhoneNumbers(
  db: Executor,
  account: string,
  { after, limit }: PageBounds,
): Promise<{ readonly owner: string; readonly entries: PhoneNumber[] } | undefined> {
  const rows = await listStatement(db, { account, after: after ?? BEFORE_ALL_IDS, limit });
  if (rows[0] === undefined) return undefined;
  return { owner: String(rows[0].account_id), entries: rows.filter((row) => row.id !== null).map(phoneNumberOf) };
}

function phoneNumberOf(row: PhoneNumberRow): PhoneNumber {
  return {
    $typeName: "calltracking.v1.PhoneNumber",
    id: row.id,
    accountToken: row.account_token,
    phoneNumber: row.phone_number,
    description: row.description ?? undefined,
    propertyToken: row.property_token ?? undefined,
    createdAt: timestampOf(row.created_at),
    updatedAt: timestampOf(row.updated_at),
  };
}

const insertStatement = prepareStatement<
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

const findStatement = prepareStatement<{ account: string; id: string | null }, JoinedRow>((db, parameter) =>
  db
    .selectFrom("account_handles as handle")
    .leftJoin("phone_numbers as number", (join) =>
      join.onRef("number.account_id", "=", "handle.account_id").on("number.id", "=", parameter("id")),
    )
    .select(["handle.account_token", ...QUALIFIED_COLUMNS])
    .where("handle.handle", "=", parameter("account"))
    .$castTo<JoinedRow>(),
);

const findIdStatement = prepareStatement<{ account: string; phoneNumber: string }, { id: string }>((db, parameter) =>
  db
    .selectFrom("account_handles as handle")
    .innerJoin("phone_numbers as number", "number.account_id", "handle.account_id")
    .select("number.id")
    .where("handle.handle", "=", parameter("account"))
    .where("number.phone_number", "=", parameter("phoneNumber")),
);

const listStatement = prepareStatement<
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
