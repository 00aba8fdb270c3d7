import type { NewPhoneNumber } from "@calltrack/domain";
import type { PhoneNumber } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import type { Executor } from "@calltrack/postgres";
import type { NamedAccount } from "../../access/account-directory.js";
import { etagOf } from "../../database/etag.js";
import { BEFORE_ALL_IDS, type PageBounds } from "../../database/page.js";
import type { ChangeOrigin } from "../../database/tables/schema.js";
import { timestampOf } from "../../database/timestamp.js";
import {
  findIdStatement,
  findStatement,
  insertStatement,
  listStatement,
  type PhoneNumberRow,
} from "./phone-number-statements.js";

/**
 * Registers a phone number of an account.
 *
 * @throws the database's error for the constraint `phone_numbers_are_unique_per_account` if the account has the number, and for
 *   the check `phone_numbers_are_no_tracking_numbers` if it is in the inventory.
 */
export async function insertPhoneNumber(
  db: Executor,
  account: NamedAccount,
  { phoneNumber, description, propertyToken }: NewPhoneNumber,
  origin: ChangeOrigin,
): Promise<PhoneNumber> {
  const [row] = await insertStatement(db, {
    accountId: account.accountId,
    phoneNumber,
    description: description ?? null,
    propertyToken: propertyToken ?? null,
    origin: JSON.stringify(origin),
  });
  // An insert without a condition gives its row, or fails.
  return phoneNumberOf(account, row as PhoneNumberRow);
}

/**
 * The phone number of an account by its id, or undefined.
 *
 * @param id a UUID, or undefined for one that no phone number has.
 */
export async function findPhoneNumber(
  db: Executor,
  account: NamedAccount,
  id: string | undefined,
): Promise<PhoneNumber | undefined> {
  if (id === undefined) return undefined;
  const [row] = await findStatement(db, { accountId: account.accountId, id });
  return row && phoneNumberOf(account, row);
}

/** The id of the phone number of an account, or undefined if it is not registered. */
export async function findPhoneNumberId(
  db: Executor,
  { accountId }: NamedAccount,
  phoneNumber: string,
): Promise<string | undefined> {
  const [row] = await findIdStatement(db, { accountId, phoneNumber });
  return row?.id;
}

/** Phone numbers of an account in the order of their registration; `after` is an id. */
export async function listPhoneNumbers(
  db: Executor,
  account: NamedAccount,
  { after, limit }: PageBounds,
): Promise<PhoneNumber[]> {
  const rows = await listStatement(db, { accountId: account.accountId, after: after ?? BEFORE_ALL_IDS, limit });
  return rows.map((row) => phoneNumberOf(account, row));
}

function phoneNumberOf({ accountToken }: NamedAccount, row: PhoneNumberRow): PhoneNumber {
  return {
    $typeName: "calltracking.v1.PhoneNumber",
    id: row.id,
    accountToken,
    phoneNumber: row.phone_number,
    description: row.description ?? undefined,
    propertyToken: row.property_token ?? undefined,
    createdAt: timestampOf(row.created_at),
    updatedAt: timestampOf(row.updated_at),
    etag: etagOf(row.updated_at),
  };
}
