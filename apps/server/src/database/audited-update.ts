import { type Expression, type QueryCreator, type SqlBool, sql, type UpdateObject } from "kysely";
import { type AuditCteOptions, buildAuditCte, UPDATE_CTE_NAMES } from "./audit-cte.js";
import { buildEventCte, type EventCteOptions } from "./event-cte.js";
import type { QueryBuilder } from "./prepared-statement.js";
import type { Schema } from "./tables/schema.js";

/** Describes an update of one row, and the columns that the audit entry records. */
export interface AuditedUpdateOptions<T extends keyof Schema, C extends keyof Schema[T], B>
  extends Pick<AuditCteOptions, "accountId" | "type" | "columns" | "origin"> {
  /** The primary key columns and their values, in the order of the key. The last column identifies the resource in the audit entry. */
  readonly key: { readonly [K in keyof Schema[T]]?: Expression<unknown> };
  /** A condition on the current row, such as on its etag. If the condition is false, nothing changes. Default: none. */
  readonly condition?: Expression<SqlBool>;
  readonly set: UpdateObject<Schema, T>;
  /** The columns of the CTEs `before` and `updated`, including the audited columns. */
  readonly returning: readonly C[];
  /** The event that the update logs. Its expressions can use the CTEs `before` and `updated`, which have one row each. Default: none. */
  readonly event?: Pick<EventCteOptions, "type" | "poolId" | "resourceId" | "number" | "facts" | "where">;
  /** The query of the CTE `before`, which selects and locks the row before the change. Default: selects `returning` from the row with `key`. */
  readonly before?: Expression<B>;
}

/**
 * Builds the CTEs of an audited update of one row. `before` selects and locks the row before the change, and `updated` changes the row if the
 * condition is true. `audited` writes the audit entry, and `logged` writes the event. If the condition is false, only `before` returns a row.
 */
export function buildAuditedUpdate<T extends keyof Schema, C extends keyof Schema[T] & string, B = Pick<Schema[T], C>>(
  db: QueryBuilder,
  table: T,
  { key, condition, set, returning, before, event, ...audited }: AuditedUpdateOptions<T, C, B>,
) {
  const id = Object.keys(key).at(-1) as string;
  // Kysely cannot check the columns of a table that is a type parameter.
  const tables = db as unknown as QueryCreator<Record<string, Record<string, unknown>>>;
  const locked = tables
    .selectFrom(table as string)
    .select(returning)
    .where(({ and }) => and(key))
    .forNoKeyUpdate();
  const cte = tables
    .with(UPDATE_CTE_NAMES.before, () => (before ?? locked) as Expression<Record<string, unknown>>)
    .with(UPDATE_CTE_NAMES.after, (ctes) =>
      ctes
        .updateTable(table as string)
        .set(set as object)
        .where(({ and }) => and(key))
        .where(id, "=", ctes.selectFrom("before").select(id))
        .$if(condition !== undefined, (update) => update.where(condition as Expression<SqlBool>))
        .returning(returning),
    )
    .with("audited", () => buildAuditCte({ ...audited, ...UPDATE_CTE_NAMES, id }));
  const { accountId } = audited;
  const logged =
    event === undefined
      ? cte
      : cte.with("logged", () => buildEventCte({ ...event, accountId, from: sql`updated cross join before` }));
  return logged as unknown as QueryCreator<Schema & { before: B; updated: Pick<Schema[T], C> }>;
}
