import type { Parameter } from "@calltrack/postgres";
import { type Selectable, sql } from "kysely";
import { prepareStatement, type QueryBuilder } from "../../database/prepared-statement.js";
import type { AuditEntryTable } from "../../database/tables/schema.js";

/** The columns of an audit entry that are read. */
export type AuditEntryRow = Omit<Selectable<AuditEntryTable>, "account_id">;

/** The range and filter of a query of the log. */
interface ListParameters {
  accountId: number;
  /** The smallest id, inclusive. */
  first: string;
  /** The largest id, exclusive. */
  before: string;
  /** The name of the actor; null for all actors. */
  actor: string | null;
  limit: number | null;
}

/** See `listAuditEntries`. */
export const listEntriesStatement = prepareStatement<ListParameters, AuditEntryRow>((db, parameter) =>
  selectPage(db, parameter),
);

/** Like `listEntriesStatement`, for one resource, using its index. */
export const listEntriesByResourceStatement = prepareStatement<ListParameters & { resource: string }, AuditEntryRow>(
  (db, parameter) => selectPage(db, parameter).where("resource_id", "=", parameter("resource")),
);

/** Returns accounts in the order of their ids, and whether each has expired entries. */
export const findExpiredEntriesStatement = prepareStatement<
  { after: number; before: string; limit: number },
  { id: number; has_expired: boolean }
>((db, parameter) =>
  db
    .selectFrom("accounts")
    .select(({ exists, selectFrom }) => [
      "accounts.id",
      exists(
        selectFrom("audit_entries as entry")
          .select("entry.id")
          .whereRef("entry.account_id", "=", "accounts.id")
          .where("entry.id", "<", parameter("before")),
      )
        .$castTo<boolean>()
        .as("has_expired"),
    ])
    .where("accounts.id", ">", parameter("after"))
    .orderBy("accounts.id")
    .limit(sql<number>`${parameter("limit")}`),
);

/** Deletes the oldest expired entries of an account. */
export const deleteEntriesStatement = prepareStatement<
  { accountId: number; before: string; limit: number },
  { id: string }
>((db, parameter) =>
  db
    .with("expired", (cte) =>
      cte
        .selectFrom("audit_entries")
        .select("id")
        .where("account_id", "=", parameter("accountId"))
        .where("id", "<", parameter("before"))
        .orderBy("id")
        .limit(sql<number>`${parameter("limit")}`),
    )
    .deleteFrom("audit_entries as entry")
    .using("expired")
    .where("entry.account_id", "=", parameter("accountId"))
    .whereRef("entry.id", "=", "expired.id")
    .returning("entry.id"),
);

function selectPage(db: QueryBuilder, parameter: Parameter<ListParameters>) {
  return db
    .selectFrom("audit_entries")
    .select(["id", "method", "actor_kind", "actor_name", "key_prefix", "issuer"])
    .select(["resource_type", "resource_id", "before", "after"])
    .where("account_id", "=", parameter("accountId"))
    .where("id", ">=", parameter("first"))
    .where("id", "<", parameter("before"))
    .where(sql<boolean>`coalesce(actor_name = ${parameter("actor")}::text, ${parameter("actor")}::text is null)`)
    .orderBy("id", "desc")
    .limit(sql<number>`${parameter("limit")}`);
}
