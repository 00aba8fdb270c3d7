import { DomainError, type NewPhoneNumber, parseUuid } from "@calltrack/domain";
import type { PhoneNumber } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import { type Executor, listColumnNames } from "@calltrack/postgres";
import { type Expression, type Selectable, sql } from "kysely";
import type { ResolvedAccount } from "../../access/account-directory.js";
import { buildAuditCte } from "../../database/audit-cte.js";
import { formatEtag } from "../../database/etag.js";
import { buildEventCte } from "../../database/event-cte.js";
import { createPagedListById, NIL_UUID, type PageBounds } from "../../database/page.js";
import { prepareList, prepareLookup, prepareStatement } from "../../database/prepared-statement.js";
import type { ChangeOrigin, PhoneNumberTable } from "../../database/tables/schema.js";
import { toTimestamp } from "../../database/timestamp.js";
import { buildInventoryExclusionCte } from "../inventory/inventory-exclusion-cte.js";

export const PHONE_NUMBER_PAGED_LIST = createPagedListById<PhoneNumber>("phone_numbers");

/** The columns of the table `phone_numbers` that the API returns, with their types. */
export const PHONE_NUMBER_COLUMN_TYPES = {
  id: "text",
  phone_number: "text",
  description: "text",
  property_token: "text",
  created_at: "time",
  updated_at: "time",
} as const;

export const PHONE_NUMBER_COLUMNS = listColumnNames(PHONE_NUMBER_COLUMN_TYPES);

/** The options for `buildAuditCte` that audit the registration of a phone number. The new row is in the CTE `registered`. */
export const PHONE_NUMBER_AUDIT_OPTIONS = {
  type: "phone_number",
  columns: PHONE_NUMBER_COLUMNS,
  after: "registered",
  sharesId: true,
} as const;

export type PhoneNumberRow = Pick<Selectable<PhoneNumberTable>, (typeof PHONE_NUMBER_COLUMNS)[number]>;

/**
 * Registers a phone number for an account.
 *
 * @throws the database's error for the constraint `phone_numbers_are_unique_per_account` if the account has already registered the number, or
 *   for the check `phone_numbers_are_no_tracking_numbers` if the number is in the inventory.
 */
export async function insertPhoneNumber(
  db: Executor,
  account: ResolvedAccount,
  wanted: NewPhoneNumber,
  origin: ChangeOrigin,
): Promise<PhoneNumber> {
  const { accountId } = account;
  const { phoneNumber, description = null, propertyToken = null } = wanted;
  const parameters = { accountId, phoneNumber, description, propertyToken, origin: JSON.stringify(origin) };
  const [row] = await insertPhoneNumberStatement(db, parameters);
  // An insert without a condition returns its row or throws.
  return toPhoneNumberMessage(account, row as PhoneNumberRow);
}

const insertPhoneNumberStatement = prepareStatement<
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
    .with("kept_out", (cte) => buildInventoryExclusionCte(cte))
    .with("audited", () =>
      buildAuditCte({ ...PHONE_NUMBER_AUDIT_OPTIONS, accountId: parameter("accountId"), origin: parameter("origin") }),
    )
    .with("logged", () => buildPhoneNumberEventCte(parameter("accountId")))
    .selectFrom("registered")
    .select(PHONE_NUMBER_COLUMNS),
);

/** Builds the CTE that logs the event `phone_number.created` for the numbers in the CTE `registered`. */
export function buildPhoneNumberEventCte(accountId: Expression<number>) {
  const resourceId = sql.ref("registered.id");
  return buildEventCte({ type: "phone_number.created", accountId, resourceId, from: sql.table("registered") });
}

/** Finds a phone number of an account by its id. Throws DomainError `PHONE_NUMBER_NOT_FOUND`. */
export async function requirePhoneNumber(
  db: Executor,
  account: ResolvedAccount,
  phoneNumberId: string,
): Promise<PhoneNumber> {
  const id = parseUuid(phoneNumberId);
  const [row] = id === undefined ? [] : await findPhoneNumberStatement(db, { accountId: account.accountId, id });
  if (row === undefined) throw new DomainError("PHONE_NUMBER_NOT_FOUND", { phoneNumberId });
  return toPhoneNumberMessage(account, row);
}

const findPhoneNumberStatement = prepareLookup<{ accountId: number; id: string }, PhoneNumberRow>(
  { accountId: "integer", id: "uuid" },
  (db, parameter) =>
    db
      .selectFrom("phone_numbers")
      .select(PHONE_NUMBER_COLUMNS)
      .where("account_id", "=", parameter("accountId"))
      .where("id", "=", parameter("id")),
);

/** Finds the id of an account's phone number by its digits. Returns no row if the account has not registered it. */
export const findPhoneNumberIdStatement = prepareStatement<{ accountId: number; phoneNumber: string }, { id: string }>(
  (db, parameter) =>
    db
      .selectFrom("phone_numbers")
      .select("id")
      .where("account_id", "=", parameter("accountId"))
      .where("phone_number", "=", parameter("phoneNumber")),
);

/** Lists the phone numbers of an account in the order of their registration, after the one with the id `after`. */
export async function listPhoneNumbers(
  db: Executor,
  account: ResolvedAccount,
  { after = NIL_UUID, limit }: PageBounds,
): Promise<PhoneNumber[]> {
  const rows = await listPhoneNumbersStatement(db, { accountId: account.accountId, after, limit });
  return rows.map((row) => toPhoneNumberMessage(account, row));
}

const listPhoneNumbersStatement = prepareList<{ accountId: number; after: string; limit: number }, PhoneNumberRow>(
  PHONE_NUMBER_COLUMN_TYPES,
  (db, parameter) =>
    db
      .selectFrom("phone_numbers")
      .select(PHONE_NUMBER_COLUMNS)
      .where("account_id", "=", parameter("accountId"))
      .where("id", ">", parameter("after"))
      .orderBy("id")
      .limit(sql<number>`${parameter("limit")}`),
);

export function toPhoneNumberMessage({ accountToken }: ResolvedAccount, row: PhoneNumberRow): PhoneNumber {
  return {
    $typeName: "calltracking.v1.PhoneNumber",
    id: row.id,
    accountToken,
    phoneNumber: row.phone_number,
    description: row.description ?? undefined,
    propertyToken: row.property_token ?? undefined,
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
    etag: formatEtag(row.updated_at),
  };
}
