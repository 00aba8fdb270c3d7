import type { Executor, ParameterGetter } from "@calltrack/postgres";
import { type RawBuilder, sql } from "kysely";
import { computeMinAuditEntryId } from "../api/audit/audit-repository.js";
import { readPoolClock } from "../clock/clock.js";
import { deleteInChunks } from "../database/delete-in-chunks.js";
import { ABSENT_ACCOUNT_ID } from "../database/idempotency/idempotency-key.js";
import { prepareStatement } from "../database/prepared-statement.js";

/** Deletes the audit entries that were written more than `keptMs` milliseconds ago. */
export function deleteExpiredAuditEntries(db: Executor, keptMs: number): Promise<void> {
  return deleteEntriesBefore(db, computeMinAuditEntryId(new Date(Date.now() - keptMs)));
}

/** Deletes the calls that started more than `keptMs` milliseconds ago by the pool clock. */
export async function deleteExpiredCalls(db: Executor, keptMs: number): Promise<void> {
  await deleteCallsBefore(db, new Date((await readPoolClock(db)).getTime() - keptMs).toISOString());
}

/** Accounts checked and rows deleted per statement. Short statements let other transactions run in between. */
const CHUNK = 1000;

const deleteEntriesBefore = createExpiredRowDeleter({ table: "audit_entries", age: "id", type: "uuid" });

const deleteCallsBefore = createExpiredRowDeleter({ table: "calls", age: "started_at", type: "timestamptz" });

interface ExpiringRows {
  readonly table: "audit_entries" | "calls" | "call_tracker_changes";
  /** The column that orders rows by age. `type` is the SQL type of this column. */
  readonly age: "id" | "started_at" | "occurred_at";
  readonly type: "uuid" | "timestamptz";
  /** The columns of the primary key after the account. Default: the id. */
  readonly key?: readonly ("pool_id" | "id")[];
  /** Which of the rows older than `before` are deleted. Default: all. */
  readonly condition?: (parameter: ParameterGetter<{ accountId: number; before: string }>) => RawBuilder<boolean>;
}

/**
 * Creates a function that deletes the rows older than `before`. It deletes the rows of one account after another, because each table has an index
 * that begins with the account.
 */
export function createExpiredRowDeleter({ table, age: column, type, key = ["id"], condition }: ExpiringRows) {
  // Every possible `table` has the columns that the statements use, so the types of `calls` are valid for all of them.
  const rows = `${table} as old` as "calls as old";
  const age = sql.ref<unknown>(`old.${column}`);
  const isExpired = (parameter: ParameterGetter<{ before: string }>) =>
    sql<boolean>`${age} < ${parameter("before")}::${sql.raw(type)}`;

  const checkStatement = prepareStatement<
    { after: number; before: string; limit: number },
    { id: number; has_expired: boolean }
  >((db, parameter) =>
    db
      .selectFrom("accounts")
      .select(({ selectFrom }) => {
        // Without the limit, the planner reads the expired rows of all accounts for each page of accounts.
        const expired = selectFrom(rows)
          .select("old.id")
          .whereRef("old.account_id", "=", "accounts.id")
          .where(isExpired(parameter))
          .limit(sql.lit(1));
        return ["accounts.id", sql<boolean>`${expired} is not null`.as("has_expired")];
      })
      .where("accounts.id", ">", parameter("after"))
      .orderBy("accounts.id")
      .limit(sql<number>`${parameter("limit")}`),
  );

  const deleteStatement = prepareStatement<{ accountId: number; before: string; limit: number }, { id: string }>(
    (db, parameter) =>
      db
        .with("expired", (cte) =>
          cte
            .selectFrom(rows)
            .select(key.map((each) => `old.${each}` as const))
            .where("old.account_id", "=", parameter("accountId"))
            .where(isExpired(parameter))
            .where(condition?.(parameter) ?? sql<boolean>`true`)
            .orderBy(age)
            .limit(sql<number>`${parameter("limit")}`),
        )
        .deleteFrom(rows)
        .using("expired")
        .where("old.account_id", "=", parameter("accountId"))
        .where(({ and, eb, ref }) => and(key.map((each) => eb(`old.${each}`, "=", ref(`expired.${each}`)))))
        .returning("old.id"),
  );

  return async (db: Executor, before: string): Promise<void> => {
    const deleteOf = (accountId: number) =>
      deleteInChunks(CHUNK, (limit) => deleteStatement(db, { accountId, before, limit }));
    await deleteOf(ABSENT_ACCOUNT_ID);
    for (let after = ABSENT_ACCOUNT_ID; ; ) {
      const accounts = await checkStatement(db, { after, before, limit: CHUNK });
      for (const { id, has_expired } of accounts) if (has_expired) await deleteOf(id);
      if (accounts.length < CHUNK) return;
      after = accounts.at(-1)?.id ?? 0;
    }
  };
}
