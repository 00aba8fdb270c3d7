import { DomainError } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import { type Selectable, sql } from "kysely";
import { deleteInChunks } from "../delete-in-chunks.js";
import { prepareStatement } from "../prepared-statement.js";
import type { IdempotencyKeyTable } from "../tables/schema.js";
import type { RequestKey } from "./request-key.js";

/** Names a row. */
interface KeyParameters {
  accountId: number;
  keyHash: Buffer;
}

/** See `claimKey`: gives a row if the key was free. It waits for a transaction that has claimed the key and is not at its end. */
const claimStatement = prepareStatement<KeyParameters & { requestHash: Buffer }, { account_id: number }>(
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
const findStatement = prepareStatement<KeyParameters, Pick<Selectable<IdempotencyKeyTable>, "request_hash" | "answer">>(
  (db, parameter) =>
    db
      .selectFrom("idempotency_keys")
      .select(["request_hash", "answer"])
      .where("account_id", "=", parameter("accountId"))
      .where("key_hash", "=", parameter("keyHash")),
);

/** Keeps the answer under a key that the transaction has claimed. */
export const saveResponse = prepareStatement<KeyParameters & { answer: Buffer }, object>((db, parameter) =>
  db
    .updateTable("idempotency_keys")
    .set({ answer: parameter("answer") })
    .where("account_id", "=", parameter("accountId"))
    .where("key_hash", "=", parameter("keyHash")),
);

/** See `deleteExpiredKeys`. */
const deleteExpiredStatement = prepareStatement<{ most: number }, { account_id: number }>((db, parameter) =>
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

const CHUNK = 1000;

/**
 * Claims a key until the transaction ends, in which `saveResponse` has to follow. It waits for whoever has claimed the key at the
 * moment.
 *
 * @returns undefined, or the answer that is kept under the key, and nothing is claimed then.
 * @throws DomainError `IDEMPOTENCY_KEY_REUSED` if that is the answer to another request.
 */
export async function claimKey(transaction: Executor, key: RequestKey): Promise<Uint8Array | undefined> {
  const { accountId, keyHash, requestHash } = key;
  for (;;) {
    const claimed = await claimStatement(transaction, { accountId, keyHash, requestHash });
    if (claimed.length > 0) return undefined;
    const [row] = await findStatement(transaction, { accountId, keyHash });
    // What has expired in this moment may be gone, and can be claimed then.
    if (row?.answer == null) continue;
    if (!requestHash.equals(row.request_hash)) throw new DomainError("IDEMPOTENCY_KEY_REUSED", {});
    return row.answer;
  }
}

/** Deletes the keys that can be used anew, with what is kept under them, and gives their number. Call it now and then. */
export function deleteExpiredKeys(db: Executor): Promise<number> {
  return deleteInChunks(CHUNK, (most) => deleteExpiredStatement(db, { most }));
}
