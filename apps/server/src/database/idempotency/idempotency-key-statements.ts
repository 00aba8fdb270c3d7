import { type Selectable, sql } from "kysely";
import { prepareStatement } from "../prepared-statement.js";
import type { IdempotencyKeyTable } from "../tables/idempotency-key-table.js";

/** Names a row. */
interface KeyParameters {
  accountId: number;
  keyHash: Buffer;
}

/** See `claimKey`: gives a row if the key was free. It waits for a transaction that has claimed the key and is not at its end. */
export const claimStatement = prepareStatement<KeyParameters & { requestHash: Buffer }, { account_id: number }>(
  (db, parameter) =>
    db
      .insertInto("idempotency_keys")
      .values({
        account_id: parameter("accountId"),
        key_hash: parameter("keyHash"),
        request_hash: parameter("requestHash"),
        created_at: sql<Date>`now()`,
        expires_at: sql<Date>`now() + interval '24 hours'`,
      })
      .onConflict((conflict) =>
        conflict
          .columns(["account_id", "key_hash"])
          .doUpdateSet(({ ref }) => ({
            request_hash: ref("excluded.request_hash"),
            answer: ref("excluded.answer"),
            created_at: ref("excluded.created_at"),
            expires_at: ref("excluded.expires_at"),
          }))
          .whereRef("idempotency_keys.expires_at", "<=", "excluded.created_at"),
      )
      .returning("account_id"),
);

/** See `claimKey`. */
export const findStatement = prepareStatement<
  KeyParameters,
  Pick<Selectable<IdempotencyKeyTable>, "request_hash" | "answer">
>((db, parameter) =>
  db
    .selectFrom("idempotency_keys")
    .select(["request_hash", "answer"])
    .where("account_id", "=", parameter("accountId"))
    .where("key_hash", "=", parameter("keyHash")),
);

/** See `keepAnswer`. */
export const keepStatement = prepareStatement<KeyParameters & { answer: Buffer }, object>((db, parameter) =>
  db
    .updateTable("idempotency_keys")
    .set({ answer: parameter("answer") })
    .where("account_id", "=", parameter("accountId"))
    .where("key_hash", "=", parameter("keyHash")),
);

/** See `deleteExpiredKeys`. */
export const deleteExpiredStatement = prepareStatement<{ most: number }, { account_id: number }>((db, parameter) =>
  db
    .with("expired", (cte) =>
      cte
        .selectFrom("idempotency_keys")
        .select(["account_id", "key_hash"])
        .where("expires_at", "<=", sql<Date>`now()`)
        .orderBy("expires_at")
        .limit(sql<number>`${parameter("most")}`),
    )
    .deleteFrom("idempotency_keys as key")
    .using("expired")
    .whereRef("key.account_id", "=", "expired.account_id")
    .whereRef("key.key_hash", "=", "expired.key_hash")
    // Somebody may have begun to use it anew since it was looked for.
    .where("key.expires_at", "<=", sql<Date>`now()`)
    .returning("key.account_id"),
);
