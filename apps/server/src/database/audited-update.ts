import { type Expression, type QueryCreator, type SqlBool, sql, type UpdateObject } from "kysely";
import { type AuditedChange, auditCte, UPDATE_CTES } from "./audit-cte.js";
import { eventCte, type LoggedEvents } from "./event-cte.js";
import type { QueryBuilder } from "./prepared-statement.js";
import type { Schema } from "./tables/schema.js";

/** An update of one row, and the columns that its audit entry records. */
export interface AuditedUpdate<T extends keyof Schema, C extends keyof Schema[T], B>
  extends Pick<AuditedChange, "accountId" | "type" | "columns" | "origin"> {
  /** The values of the primary key, in the order of its columns. The last one identifies the resource. */
  readonly key: { readonly [K in keyof Schema[T]]?: Expression<unknown> };
  /** Condition on the current row, such as on its etag. If it fails, nothing changes. Default: none. */
  readonly condition?: Expression<SqlBool>;
  readonly set: UpdateObject<Schema, T>;
  /** The columns of the CTEs `before` and `updated`, including the audited columns. */
  readonly returning: readonly C[];
  /** The event that the update logs, built from the CTEs `before` and `updated`, which have one row each. Default: none. */
  readonly event?: Pick<LoggedEvents, "type" | "poolId" | "resourceId" | "number" | "facts" | "where">;
  /** Selects the previous row and locks it against concurrent updates. Default: the row with `key`. */
  readonly before?: Expression<B>;
}

/**
 * Builds the CTEs of an audited update of one row: `before` locks the previous row, `updated` changes it if it satisfies the condition,
 * `audited` writes the audit entry, and `logged` the event. If the condition fails, `before` holds the current row, and the others are empty.
 */
export function auditedUpdate<T extends keyof Schema, C extends keyof Schema[T] & string, B = Pick<Schema[T], C>>(
  db: QueryBuilder,
  table: T,
  { key, condition, set, returning, before, event, ...audited }: AuditedUpdate<T, C, B>,
) {
  const id = Object.keys(key).at(-1) as string;
  // Kysely's types cannot relate the columns of a table that is only known as a type parameter.
  const tables = db as unknown as QueryCreator<Record<string, Record<string, unknown>>>;
  const locked = tables
    .selectFrom(table as string)
    .select(returning)
    .where(({ and }) => and(key))
    .forNoKeyUpdate();
  const cte = tables
    .with(UPDATE_CTES.before, () => (before ?? locked) as Expression<Record<string, unknown>>)
    .with(UPDATE_CTES.after, (ctes) =>
      ctes
        .updateTable(table as string)
        .set(set as object)
        .where(({ and }) => and(key))
        .where(id, "=", ctes.selectFrom("before").select(id))
        .$if(condition !== undefined, (update) => update.where(condition as Expression<SqlBool>))
        .returning(returning),
    )
    .with("audited", () => auditCte({ ...audited, ...UPDATE_CTES, id }));
  const { accountId } = audited;
  const logged =
    event === undefined
      ? cte
      : cte.with("logged", () => eventCte({ ...event, accountId, from: sql`updated cross join before` }));
  return logged as unknown as QueryCreator<Schema & { before: B; updated: Pick<Schema[T], C> }>;
}
