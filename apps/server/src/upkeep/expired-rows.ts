import type { Executor, Parameter } from "@calltrack/postgres";
import { sql } from "kysely";
import { firstIdAt } from "../api/audit/audit-repository.js";
import { readClock } from "../clock/clock.js";
import { deleteInChunks } from "../database/delete-in-chunks.js";
import { NO_ACCOUNT } from "../database/idempotency/request-key.js";
import { prepareStatement } from "../database/prepared-statement.js";

/** Deletes the audit entries that were written more than `keptMs` milliseconds ago. */
export function deleteExpiredEntries(db: Executor, keptMs: number): Promise<void> {
  return deleteEntriesBefore(db, firstIdAt(new Date(Date.now() - keptMs)));
}

/** Deletes the calls that started more than `keptMs` milliseconds ago by the clock of pool management. */
export async function deleteExpiredCalls(db: Executor, keptMs: number): Promise<void> {
  await deleteCallsBefore(db, new Date((await readClock(db)).getTime() - keptMs).toISOString());
}

/** Accounts checked and rows deleted per statement. Short statements let other transactions run in between. */
const CHUNK = 1000;

const deleteEntriesBefore = createDeletion("audit_entries", "id", "uuid");

const deleteCallsBefore = createDeletion("calls", "started_at", "timestamptz");

/** Creates a function that deletes the rows below a bound, account by account: an index of each table begins with the account. */
function createDeletion(table: "audit_entries" | "calls", column: "id" | "started_at", type: "uuid" | "timestamptz") {
  // Both tables have the columns of calls that the statements name.
  const rows = `${table} as old` as "calls as old";
  const age = sql.ref(`old.${column}`);
  const isExpired = (parameter: Parameter<{ before: string }>) =>
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
            .select("old.id")
            .where("old.account_id", "=", parameter("accountId"))
            .where(isExpired(parameter))
            .orderBy(age)
            .limit(sql<number>`${parameter("limit")}`),
        )
        .deleteFrom(rows)
        .using("expired")
        .where("old.account_id", "=", parameter("accountId"))
        .whereRef("old.id", "=", "expired.id")
        .returning("old.id"),
  );

  return async (db: Executor, before: string): Promise<void> => {
    const deleteOf = (accountId: number) =>
      deleteInChunks(CHUNK, (limit) => deleteStatement(db, { accountId, before, limit }));
    await deleteOf(NO_ACCOUNT);
    for (let after = NO_ACCOUNT; ; ) {
      const accounts = await checkStatement(db, { after, before, limit: CHUNK });
      for (const { id, has_expired } of accounts) if (has_expired) await deleteOf(id);
      if (accounts.length < CHUNK) return;
      after = accounts.at(-1)?.id ?? 0;
    }
  };
}
