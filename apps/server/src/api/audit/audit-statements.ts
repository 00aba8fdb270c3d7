import type { Parameter } from "@calltrack/postgres";
import { type Selectable, sql } from "kysely";
import { prepareStatement, type QueryBuilder } from "../../database/prepared-statement.js";
import type { AuditEntryTable } from "../../database/tables/schema.js";

/** An entry as it is read. */
export type AuditEntryRow = Omit<Selectable<AuditEntryTable>, "account_id">;

/** Which part of the log is read. */
interface ListParameters {
  accountId: number;
  /** The smallest id that is wanted. */
  first: string;
  /** The id that all that are wanted are smaller than. */
  before: string;
  /** Null for whoever. */
  actor: string | null;
  limit: number | null;
}

/** See `listAuditEntries`. */
export const listStatement = prepareStatement<ListParameters, AuditEntryRow>((db, parameter) =>
  selectPage(db, parameter),
);

/** Like `listStatement`, by the index of a resource. */
export const listByResourceStatement = prepareStatement<ListParameters & { resource: string }, AuditEntryRow>(
  (db, parameter) => selectPage(db, parameter).where("resource_id", "=", parameter("resource")),
);

/** Accounts in the order of their ids, and whether they have entries that have expired. */
export const expiredStatement = prepareStatement<
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

/** Deletes the oldest entries of an account, those that have expired. */
export const deleteStatement = prepareStatement<{ accountId: number; before: string; limit: number }, { id: string }>(
  (db, parameter) =>
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
