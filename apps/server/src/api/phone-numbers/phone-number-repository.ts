import type { NewPhoneNumber } from "@calltrack/domain";
import type { PhoneNumber } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import type { Executor } from "@calltrack/postgres";
import type { ResolvedAccount } from "../../access/account-directory.js";
import { formatEtag } from "../../database/etag.js";
import { BEFORE_ALL_IDS, type PageBounds } from "../../database/page.js";
import type { ChangeOrigin } from "../../database/tables/schema.js";
import { timestampOf } from "../../database/timestamp.js";
import {
  findPhoneNumberStatement,
  insertPhoneNumberStatement,
  listPhoneNumbersStatement,
  type PhoneNumberRow,
} from "./phone-number-statements.js";

/**
 * Registers a phone number of an account.
 *
 * @throws the database's error for the constraint `phone_numbers_are_unique_per_account` if the account has
 *   registered the number, or for the check `phone_numbers_are_no_tracking_numbers` if it is in the inventory.
 */
export async function insertPhoneNumber(
  db: Executor,
  account: ResolvedAccount,
  { phoneNumber, description, propertyToken }: NewPhoneNumber,
  origin: ChangeOrigin,
): Promise<PhoneNumber> {
  const [row] = await insertPhoneNumberStatement(db, {
    accountId: account.accountId,
    phoneNumber,
    description: description ?? null,
    propertyToken: propertyToken ?? null,
    origin: JSON.stringify(origin),
  });
  // An insert without a condition returns its row or throws.
  return phoneNumberOf(account, row as PhoneNumberRow);
}

/**
 * Finds a phone number of an account by its id. Returns undefined if there is none.
 *
 * @param id a UUID; undefined if the requested id is not one.
 */
export async function findPhoneNumber(
  db: Executor,
  account: ResolvedAccount,
  id: string | undefined,
): Promise<PhoneNumber | undefined> {
  if (id === undefined) return undefined;
  const [row] = await findPhoneNumberStatement(db, { accountId: account.accountId, id });
  return row && phoneNumberOf(account, row);
}

/** Lists the phone numbers of an account in the order of their registration; `after` is an id. */
export async function listPhoneNumbers(
  db: Executor,
  account: ResolvedAccount,
  { after, limit }: PageBounds,
): Promise<PhoneNumber[]> {
  const rows = await listPhoneNumbersStatement(db, {
    accountId: account.accountId,
    after: after ?? BEFORE_ALL_IDS,
    limit,
  });
  return rows.map((row) => phoneNumberOf(account, row));
}

function phoneNumberOf({ accountToken }: ResolvedAccount, row: PhoneNumberRow): PhoneNumber {
  return {
    $typeName: "calltracking.v1.PhoneNumber",
    id: row.id,
    accountToken,
    phoneNumber: row.phone_number,
    description: row.description ?? undefined,
    propertyToken: row.property_token ?? undefined,
    createdAt: timestampOf(row.created_at),
    updatedAt: timestampOf(row.updated_at),
    etag: formatEtag(row.updated_at),
  };
}
