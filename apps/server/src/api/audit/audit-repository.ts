import type { JsonObject } from "@bufbuild/protobuf";
import type { AuditFilter } from "@calltrack/domain";
import { AuditActorKind, type AuditEntry, AuditResourceType } from "@calltrack/domain/gen/calltracking/v1/audit_pb";
import { type Executor, listColumnNames, type ParameterGetter } from "@calltrack/postgres";
import { type Selectable, sql } from "kysely";
import type { ResolvedAccount } from "../../access/account-directory.js";
import { ABSENT_ACCOUNT_ID } from "../../database/idempotency/idempotency-key.js";
import { createPagedListById, type PageBounds } from "../../database/page.js";
import { prepareList, type QueryBuilder } from "../../database/prepared-statement.js";
import { createStoredEnum } from "../../database/stored-enum.js";
import type { AuditEntryTable } from "../../database/tables/schema.js";
import { toTimestamp } from "../../database/timestamp.js";

/** The audit entries of one account, or those that belong to no account. */
export const AUDIT_ENTRY_PAGED_LIST = createPagedListById<AuditEntry>("audit_entries");

const ACTOR_KINDS = createStoredEnum(AuditActorKind);

const RESOURCE_TYPES = createStoredEnum(AuditResourceType);

/** A UUID that sorts after the id of every audit entry. */
const AFTER_ALL_IDS = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** A UUIDv7 starts with this many hexadecimal digits of its timestamp in milliseconds. */
const TIMESTAMP_DIGITS = 12;

const COLUMN_TYPES = {
  id: "text",
  method: "text",
  actor_kind: "text",
  actor_name: "text",
  key_prefix: "text",
  issuer: "text",
  resource_type: "text",
  resource_id: "text",
  before: "value",
  after: "value",
} as const;

type AuditEntryRow = Omit<Selectable<AuditEntryTable>, "account_id">;

/**
 * Lists the audit entries that are older than the entry with the id `after`, newest first.
 *
 * @param account undefined for the entries that belong to no account.
 */
export async function listAuditEntries(
  db: Executor,
  account: ResolvedAccount | undefined,
  { resourceId: resource, actorId, since, until }: AuditFilter,
  { after = AFTER_ALL_IDS, limit }: PageBounds,
): Promise<AuditEntry[]> {
  const end = until === undefined ? AFTER_ALL_IDS : computeMinAuditEntryId(until);
  const part = {
    accountId: account?.accountId ?? ABSENT_ACCOUNT_ID,
    first: computeMinAuditEntryId(since ?? new Date(0)),
    before: after < end ? after : end,
    actor: actorId ?? null,
    limit,
  };
  const rows = await (resource === undefined
    ? listEntriesStatement(db, part)
    : listEntriesByResourceStatement(db, { ...part, resource }));
  return rows.map((row) => entryOf(account, row));
}

interface ListParameters {
  accountId: number;
  /** The smallest id to list, inclusive. */
  first: string;
  /** The exclusive upper bound of the ids to list. */
  before: string;
  /** The name of the actor; null for all actors. */
  actor: string | null;
  limit: number;
}

const listEntriesStatement = prepareList<ListParameters, AuditEntryRow>(COLUMN_TYPES, (db, parameter) =>
  selectPage(db, parameter),
);

/** Lists the audit entries of one resource with the index on `resource_id`. */
const listEntriesByResourceStatement = prepareList<ListParameters & { resource: string }, AuditEntryRow>(
  COLUMN_TYPES,
  (db, parameter) => selectPage(db, parameter).where("resource_id", "=", parameter("resource")),
);

function selectPage(db: QueryBuilder, parameter: ParameterGetter<ListParameters>) {
  return db
    .selectFrom("audit_entries")
    .select(listColumnNames(COLUMN_TYPES))
    .where("account_id", "=", parameter("accountId"))
    .where("id", ">=", parameter("first"))
    .where("id", "<", parameter("before"))
    .where(sql<boolean>`coalesce(actor_name = ${parameter("actor")}::text, ${parameter("actor")}::text is null)`)
    .orderBy("id", "desc")
    .limit(sql<number>`${parameter("limit")}`);
}

function entryOf(account: ResolvedAccount | undefined, row: AuditEntryRow): AuditEntry {
  return {
    $typeName: "calltracking.v1.AuditEntry",
    id: row.id,
    occurredAt: toTimestamp(timeOf(row.id)),
    actor: {
      $typeName: "calltracking.v1.AuditActor",
      kind: ACTOR_KINDS[row.actor_kind],
      id: row.actor_name ?? undefined,
      apiKeyPrefix: row.key_prefix ?? undefined,
      issuer: row.issuer ?? undefined,
    },
    method: row.method,
    accountToken: account?.accountToken,
    resourceType: RESOURCE_TYPES[row.resource_type],
    resourceId: row.resource_id,
    before: row.before === null ? undefined : stateOf(row.before),
    after: row.after === null ? undefined : stateOf(row.after),
  };
}

/** Returns the recorded columns of a resource, with times in the ISO 8601 format of API responses. */
function stateOf(columns: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(columns).map(([name, value]) => [
      name,
      typeof value === "string" && /(?:^now|_at)$/.test(name) ? new Date(value).toISOString() : value,
    ]),
  );
}

/** Returns the timestamp in a UUIDv7 (RFC 9562 section 5.7). */
function timeOf(id: string): Date {
  return new Date(Number.parseInt(id.replace("-", "").slice(0, TIMESTAMP_DIGITS), 16));
}

/** Returns the smallest UUID that starts with the given time, encoded as in a UUIDv7. */
export function computeMinAuditEntryId(time: Date): string {
  const digits = time.getTime().toString(16).padStart(TIMESTAMP_DIGITS, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
}
