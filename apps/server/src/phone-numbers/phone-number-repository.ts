import type { NewPhoneNumber } from "@calltrack/domain";
import type { PhoneNumber } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import { BEFORE_ALL_IDS, type PageBounds } from "../storage/page.js";
import type { Executor } from "../storage/prepared-statement.js";
import { timestampOf } from "../storage/timestamp.js";
import {
  findIdStatement,
  findStatement,
  insertStatement,
  listStatement,
  type PhoneNumberRow,
} from "./phone-number-statements.js";

/**
 * Registers a phone number, in one statement.
 *
 * @returns undefined if there is no such account.
 * @throws the database's error for the constraint `phone_numbers_are_unique_per_account` if the account has the number, and for
 *   the check `phone_numbers_are_no_tracking_numbers` if it is in the inventory.
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
