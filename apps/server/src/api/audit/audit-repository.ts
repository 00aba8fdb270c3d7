import type { JsonObject } from "@bufbuild/protobuf";
import type { AuditFilter, CallerAccount } from "@calltrack/domain";
import { AuditActorKind, type AuditEntry, AuditResourceType } from "@calltrack/domain/gen/calltracking/v1/audit_pb";
import type { Executor } from "@calltrack/postgres";
import { deleteInChunks } from "../../database/delete-in-chunks.js";
import type { PageBounds } from "../../database/page.js";
import { storedEnum } from "../../database/stored-enum.js";
import { timestampOf } from "../../database/timestamp.js";
import {
  type AuditEntryRow,
  deleteEntriesStatement,
  findExpiredEntriesStatement,
  listEntriesByResourceStatement,
  listEntriesStatement,
} from "./audit-statements.js";

const ACTOR_KINDS = storedEnum(AuditActorKind);

const RESOURCE_TYPES = storedEnum(AuditResourceType);

/** The account id of entries that belong to no account. */
const NO_ACCOUNT = 0;

/** Sorts after every id. */
const AFTER_ALL_IDS = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** The number of hexadecimal digits of the timestamp in a UUIDv7. */
const TIMESTAMP_DIGITS = 12;

/** Accounts checked and entries deleted per statement. Short statements let other transactions run in between. */
const CHUNK = 1000;

/**
 * Lists the audit entries of an account, or those that belong to no account, newest first.
 *
 * @param after the id of an entry, as a cursor; older entries follow.
 */
export async function listAuditEntries(
  db: Executor,
  account: CallerAccount | undefined,
  { resourceId: resource, actorId, since, until }: AuditFilter,
  { after = AFTER_ALL_IDS, limit }: PageBounds,
): Promise<AuditEntry[]> {
  const end = until === undefined ? AFTER_ALL_IDS : firstIdAt(until);
  const part = {
    accountId: account?.id ?? NO_ACCOUNT,
    first: firstIdAt(since ?? new Date(0)),
    before: after < end ? after : end,
    actor: actorId ?? null,
    limit,
  };
  const rows = await (resource === undefined
    ? listEntriesStatement(db, part)
    : listEntriesByResourceStatement(db, { ...part, resource }));
  return rows.map((row) => entryOf(account, row));
}

/** Deletes entries older than `keptMs` milliseconds, in small batches. Call it periodically. */
export async function deleteExpiredEntries(db: Executor, keptMs: number): Promise<void> {
  if (keptMs === Number.POSITIVE_INFINITY) return;
  const before = firstIdAt(new Date(Math.max(0, Date.now() - keptMs)));
  await deleteOfAccount(db, NO_ACCOUNT, before);
  for (let after = 0; ; ) {
    const accounts = await findExpiredEntriesStatement(db, { after, before, limit: CHUNK });
    for (const { id, has_expired } of accounts) if (has_expired) await deleteOfAccount(db, id, before);
    if (accounts.length < CHUNK) return;
    after = accounts.at(-1)?.id ?? 0;
  }
}

function deleteOfAccount(db: Executor, accountId: number, before: string): Promise<number> {
  return deleteInChunks(CHUNK, (limit) => deleteEntriesStatement(db, { accountId, before, limit }));
}

function entryOf(account: CallerAccount | undefined, row: AuditEntryRow): AuditEntry {
  return {
    $typeName: "calltracking.v1.AuditEntry",
    id: row.id,
    occurredAt: timestampOf(timeOf(row.id)),
    actor: {
      $typeName: "calltracking.v1.AuditActor",
      kind: ACTOR_KINDS[row.actor_kind],
      id: row.actor_name ?? undefined,
      apiKeyPrefix: row.key_prefix ?? undefined,
      issuer: row.issuer ?? undefined,
    },
    method: row.method,
    accountToken: account?.token,
    resourceType: RESOURCE_TYPES[row.resource_type],
    resourceId: row.resource_id,
    before: row.before === null ? undefined : stateOf(row.before),
    after: stateOf(row.after),
  };
}

/** Returns the recorded columns of a resource, with times formatted as in the rest of the API. */
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

/** Returns the smallest UUID with the given timestamp. */
function firstIdAt(time: Date): string {
  const digits = time.getTime().toString(16).padStart(TIMESTAMP_DIGITS, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
}
