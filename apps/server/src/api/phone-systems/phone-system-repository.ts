import {
  type AllowedNumbers,
  COUNTRY_PREFIX_PATTERN,
  DomainError,
  deriveDefaultAllowedNumbers,
  parseUuid,
} from "@calltrack/domain";
import type { PhoneSystem } from "@calltrack/domain/gen/calltracking/v1/phone_system_pb";
import type { Executor } from "@calltrack/postgres";
import { sql } from "kysely";
import { buildAuditCte } from "../../database/audit-cte.js";
import { buildAuditedUpdate } from "../../database/audited-update.js";
import { buildEventCte } from "../../database/event-cte.js";
import { createPagedListById, NIL_UUID, type PageBounds } from "../../database/page.js";
import { prepareList, prepareLookup, prepareStatement } from "../../database/prepared-statement.js";
import type { ChangeOrigin } from "../../database/tables/schema.js";
import { nextUpdateTimeExpression } from "../../database/update-time.js";
import {
  getPhoneSystemCapabilities,
  PHONE_SYSTEM_COLUMN_TYPES,
  PHONE_SYSTEM_COLUMNS,
  type PhoneSystemRow,
  type PhoneSystemState,
  type StoredPhoneSystem,
} from "./phone-system-row.js";

export const PHONE_SYSTEM_PAGED_LIST = createPagedListById<PhoneSystem>("phone_systems");

/** The maximum number of phone systems that one statement reads. */
const BATCH = 1000;

/** The account id is 0, because phone systems belong to no account. The audit log contains no credentials, not even encrypted ones. */
const AUDITED = {
  type: "phone_system",
  accountId: sql.lit(0),
  columns: PHONE_SYSTEM_COLUMNS.filter((column) => column !== "credentials"),
} as const;

export type NewPhoneSystemRow = Omit<PhoneSystemRow, "is_active" | "created_at" | "updated_at">;

/** Generates the id before the phone system is inserted, because its credentials are encrypted with the id as context. */
export async function generatePhoneSystemId(db: Executor): Promise<string> {
  const [row] = await drawIdStatement(db, {});
  return (row as { readonly id: string }).id;
}

const drawIdStatement = prepareStatement<object, { id: string }>((db) =>
  db.selectNoFrom(sql<string>`uuid_v7()`.as("id")),
);

export async function insertPhoneSystem(
  db: Executor,
  row: NewPhoneSystemRow,
  origin: ChangeOrigin,
): Promise<PhoneSystemRow> {
  const credentials = JSON.stringify(row.credentials);
  const [inserted] = await insertPhoneSystemStatement(db, { ...row, credentials, origin: JSON.stringify(origin) });
  return inserted as PhoneSystemRow;
}

const insertPhoneSystemStatement = prepareStatement<
  Omit<NewPhoneSystemRow, "credentials"> & { credentials: string; origin: string },
  PhoneSystemRow
>((db, parameter) =>
  db
    .with("inserted", (cte) =>
      cte
        .insertInto("phone_systems")
        .values({
          id: parameter("id"),
          name: parameter("name"),
          kind: parameter("kind"),
          account_sid: parameter("account_sid"),
          fallback_number: parameter("fallback_number"),
          country_code: parameter("country_code"),
          trunk_prefix: parameter("trunk_prefix"),
          allowed_prefixes: sql`${parameter("allowed_prefixes")}::text[]`,
          allowed_sip_hosts: sql`${parameter("allowed_sip_hosts")}::text[]`,
          capabilities: sql`${parameter("capabilities")}::text[]`,
          credentials: sql`${parameter("credentials")}::jsonb`,
        })
        .returning(PHONE_SYSTEM_COLUMNS),
    )
    .with("audited", () =>
      buildAuditCte({ ...AUDITED, after: "inserted", sharesId: true, origin: parameter("origin") }),
    )
    .with("logged", () => {
      const { accountId } = AUDITED;
      const resourceId = sql.ref("inserted.id");
      return buildEventCte({ type: "phone_system.created", accountId, resourceId, from: sql.table("inserted") });
    })
    .selectFrom("inserted")
    .select(PHONE_SYSTEM_COLUMNS),
);

/** Finds a phone system by its id. Throws DomainError `PHONE_SYSTEM_NOT_FOUND`. */
export async function requirePhoneSystem(db: Executor, phoneSystemId: string): Promise<PhoneSystemRow> {
  const row = await findPhoneSystem(db, phoneSystemId);
  if (row === undefined) throw new DomainError("PHONE_SYSTEM_NOT_FOUND", { phoneSystemId });
  return row;
}

async function findPhoneSystem(db: Executor, id: string): Promise<PhoneSystemRow | undefined> {
  const uuid = parseUuid(id);
  const [row] = uuid === undefined ? [] : await findPhoneSystemStatement(db, { id: uuid });
  return row;
}

const findPhoneSystemStatement = prepareStatement<{ id: string }, PhoneSystemRow>((db, parameter) =>
  db.selectFrom("phone_systems").select(PHONE_SYSTEM_COLUMNS).where("id", "=", parameter("id")),
);

/** Returns those of the given ids that belong to existing phone systems. */
export async function findPhoneSystemIds(db: Executor, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  return new Set((await findIdsStatement(db, { ids })).map(({ id }) => id));
}

const findIdsStatement = prepareStatement<{ ids: readonly string[] }, { id: string }>((db, parameter) =>
  db
    .selectFrom("phone_systems")
    .select("id")
    .where("id", "=", sql<string>`any(${parameter("ids")}::uuid[])`),
);

/** Lists phone systems in the order of their creation, after the one with the id `after`. */
export function listPhoneSystems(db: Executor, { after = NIL_UUID, limit }: PageBounds): Promise<PhoneSystemRow[]> {
  return listPhoneSystemsStatement(db, { after, limit });
}

const listPhoneSystemsStatement = prepareList<{ after: string; limit: number }, PhoneSystemRow>(
  PHONE_SYSTEM_COLUMN_TYPES,
  (db, parameter) =>
    db
      .selectFrom("phone_systems")
      .select(PHONE_SYSTEM_COLUMNS)
      .where("id", ">", parameter("after"))
      .orderBy("id")
      .limit(sql<number>`${parameter("limit")}`),
);

export async function findStoredPhoneSystem(db: Executor, id: string): Promise<StoredPhoneSystem | undefined> {
  const row = await findPhoneSystem(db, id);
  return row && loadStoredPhoneSystem(db, row);
}

/** Finds phone systems by their ids. Leaves out unknown ids. */
export async function findStoredPhoneSystems(db: Executor, ids: readonly string[]): Promise<StoredPhoneSystem[]> {
  return Promise.all((await findPhoneSystemRows(db, ids)).map((row) => loadStoredPhoneSystem(db, row)));
}

/** Finds phone systems by their ids. Leaves out unknown ids. */
export function findPhoneSystemRows(db: Executor, ids: readonly string[]): Promise<PhoneSystemRow[]> {
  return findPhoneSystemsStatement(db, { ids });
}

const findPhoneSystemsStatement = prepareStatement<{ ids: readonly string[] }, PhoneSystemRow>((db, parameter) =>
  db
    .selectFrom("phone_systems")
    .select(PHONE_SYSTEM_COLUMNS)
    .where("id", "=", sql<string>`any(${parameter("ids")}::uuid[])`),
);

export async function listStoredPhoneSystems(db: Executor): Promise<StoredPhoneSystem[]> {
  const rows = await listAllPhoneSystemRows(db);
  return Promise.all(rows.map((row) => loadStoredPhoneSystem(db, row)));
}

/** Lists all phone systems in the order of their creation. */
export async function listAllPhoneSystemRows(db: Executor): Promise<PhoneSystemRow[]> {
  const rows = await listPhoneSystems(db, { after: undefined, limit: BATCH });
  for (let last = rows[BATCH - 1]; last !== undefined; ) {
    const batch = await listPhoneSystems(db, { after: last.id, limit: BATCH });
    rows.push(...batch);
    last = batch[BATCH - 1];
  }
  return rows;
}

/** Converts a row, and finds the numbers that the phone system may dial. */
export async function loadStoredPhoneSystem(db: Executor, row: PhoneSystemRow): Promise<StoredPhoneSystem> {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    accountSid: row.account_sid ?? undefined,
    fallbackNumber: row.fallback_number,
    countryCode: row.country_code ?? undefined,
    trunkPrefix: row.trunk_prefix ?? undefined,
    ...(await findAllowedNumbers(db, row)),
    allowedSipHosts: row.allowed_sip_hosts,
    capabilities: new Set(getPhoneSystemCapabilities(row)),
    credentials: row.credentials,
    isActive: row.is_active,
  };
}

/** Returns the prefixes that the operator set. If there are none, derives the rules from the tracking numbers and the fallback number. */
async function findAllowedNumbers(
  db: Executor,
  { id, fallback_number, allowed_prefixes }: PhoneSystemRow,
): Promise<AllowedNumbers> {
  if (allowed_prefixes.length > 0) return { allowedPrefixes: allowed_prefixes, ownCountries: undefined };
  const [row] = await findNumbersByCountryStatement(db, { id });
  return deriveDefaultAllowedNumbers([fallback_number, ...(row?.numbers ?? [])]);
}

/**
 * Finds the numbers of a phone system. After each number, skips all numbers with the same match of `COUNTRY_PREFIX_PATTERN`, so that the statement
 * reads few numbers per country.
 */
const findNumbersByCountryStatement = prepareLookup<{ id: string }, { numbers: readonly string[] }>(
  { id: "uuid" },
  (db, parameter) => {
    const nextNumber = (after: ReturnType<typeof sql>) => sql<string | null>`(
      select phone_number from tracking_numbers
      where phone_system_id = ${parameter("id")} and phone_number > ${after} order by phone_number limit 1)`;
    return db.selectNoFrom(
      sql<readonly string[]>`array(
        with recursive found (number) as (
          select ${nextNumber(sql`''`)}
          union all
          select ${nextNumber(sql`substring(found.number from ${sql.lit(COUNTRY_PREFIX_PATTERN)}) || ':'`)}
          from found where found.number is not null
        )
        select number from found where number is not null)`.as("numbers"),
    );
  },
);

/**
 * Updates a phone system. If a concurrent update was first, reads the phone system again and repeats the change.
 *
 * @param change returns the new state, or throws an error if the change is not allowed.
 * @throws DomainError `PHONE_SYSTEM_NOT_FOUND`, and any error of `change`
 */
export async function updatePhoneSystem(
  db: Executor,
  phoneSystemId: string,
  origin: ChangeOrigin,
  change: (before: PhoneSystemRow) => PhoneSystemState,
): Promise<PhoneSystemRow> {
  for (;;) {
    const before = await requirePhoneSystem(db, phoneSystemId);
    const state = change(before);
    const [row] = await updatePhoneSystemStatement(db, {
      ...state,
      ...{ id: before.id, updatedAt: before.updated_at },
      credentials: JSON.stringify(state.credentials),
      origin: JSON.stringify(origin),
    });
    if (row !== undefined) return row;
  }
}

/** Returns no row if the phone system has changed since it was read. */
const updatePhoneSystemStatement = prepareStatement<
  Omit<PhoneSystemState, "credentials"> & { id: string; updatedAt: Date; credentials: string; origin: string },
  PhoneSystemRow
>((db, parameter) =>
  buildAuditedUpdate(db, "phone_systems", {
    ...AUDITED,
    key: { id: parameter("id") },
    condition: sql<boolean>`updated_at = ${parameter("updatedAt")}`,
    set: {
      name: parameter("name"),
      fallback_number: parameter("fallback_number"),
      country_code: parameter("country_code"),
      trunk_prefix: parameter("trunk_prefix"),
      allowed_prefixes: sql`${parameter("allowed_prefixes")}::text[]`,
      allowed_sip_hosts: sql`${parameter("allowed_sip_hosts")}::text[]`,
      capabilities: sql`${parameter("capabilities")}::text[]`,
      credentials: sql`${parameter("credentials")}::jsonb`,
      is_active: parameter("is_active"),
      updated_at: nextUpdateTimeExpression,
    },
    returning: PHONE_SYSTEM_COLUMNS,
    event: { type: "phone_system.updated", resourceId: sql.ref("updated.id") },
    origin: parameter("origin"),
  })
    .selectFrom("updated")
    .select(PHONE_SYSTEM_COLUMNS),
);
