import { DomainError } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import { type OnConflictBuilder, type Selectable, sql } from "kysely";
import { deleteInChunks } from "../delete-in-chunks.js";
import { prepareStatement } from "../prepared-statement.js";
import type { IdempotencyKeyTable, Schema } from "../tables/schema.js";
import type { IdempotencyKey } from "./idempotency-key.js";

interface KeyParameters {
  accountId: number;
  keyHash: Buffer;
}

function replaceExpired(conflict: OnConflictBuilder<Schema, "idempotency_keys">) {
  return conflict
    .columns(["account_id", "key_hash"])
    .doUpdateSet(({ ref }) => ({
      request_hash: ref("excluded.request_hash"),
      answer: ref("excluded.answer"),
      created_at: ref("excluded.created_at"),
      expires_at: ref("excluded.expires_at"),
    }))
    .whereRef("idempotency_keys.expires_at", "<=", "excluded.created_at");
}

/** Inserts an idempotency key, or replaces an expired one. Returns no row if the key is in use. Waits for transactions that have claimed the key. */
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
      .onConflict(replaceExpired)
      .returning("account_id"),
);

const findStatement = prepareStatement<KeyParameters, Pick<Selectable<IdempotencyKeyTable>, "request_hash" | "answer">>(
  (db, parameter) =>
    db
      .selectFrom("idempotency_keys")
      .select(["request_hash", "answer"])
      .where("account_id", "=", parameter("accountId"))
      .where("key_hash", "=", parameter("keyHash")),
);

/** Stores the response for an idempotency key that the same transaction has claimed. */
export const saveResponseStatement = prepareStatement<KeyParameters & { answer: Buffer }, object>((db, parameter) =>
  db
    .updateTable("idempotency_keys")
    .set({ answer: parameter("answer") })
    .where("account_id", "=", parameter("accountId"))
    .where("key_hash", "=", parameter("keyHash")),
);

/**
 * Finds the stored responses for idempotency keys of one account, without claiming the keys. The hashes are hexadecimal, because not every
 * driver can send an array of `bytea`.
 */
export const findResponsesStatement = prepareStatement<
  { accountId: number; keyHashes: readonly string[] },
  { key_hash: string; request_hash: Buffer; answer: Buffer }
>((db, parameter) =>
  db
    .selectFrom(sql<{ key_hash: string }>`unnest(${parameter("keyHashes")}::text[])`.as<"given">(sql`given (key_hash)`))
    // A lateral join with a limit, because with a plain join PostgreSQL would compare each given key with all keys of the account.
    .innerJoinLateral(
      (from) =>
        from
          .selectFrom("idempotency_keys as key")
          .select(["key.request_hash", "key.answer"])
          .where("key.account_id", "=", parameter("accountId"))
          .where("key.key_hash", "=", sql<Buffer>`decode(given.key_hash, 'hex')`)
          .where("key.expires_at", ">", sql<Date>`now()`)
          .where("key.answer", "is not", null)
          .limit(sql.lit(1))
          .as("found"),
      (join) => join.onTrue(),
    )
    .select(["given.key_hash", "found.request_hash", "found.answer"])
    .$narrowType<{ answer: Buffer }>(),
);

/**
 * Stores responses for distinct idempotency keys of one account. Returns a row for each stored response, but none for a key in use. Waits for
 * concurrent transactions with the same keys.
 *
 * @param keys a JSON array of objects with hexadecimal hashes, and with answers in base64.
 */
export const saveResponsesStatement = prepareStatement<{ accountId: number; keys: string }, { account_id: number }>(
  (db, parameter) =>
    db
      .insertInto("idempotency_keys")
      .columns(["account_id", "key_hash", "request_hash", "answer", "created_at", "expires_at"])
      .expression((from) =>
        from
          .selectFrom(
            sql<{ key_hash: string; request_hash: string; answer: string }>`
              json_to_recordset(${parameter("keys")}::json)`.as<"given">(
              sql`given (key_hash text, request_hash text, answer text)`,
            ),
          )
          .select([
            sql<number>`${parameter("accountId")}::integer`.as("account_id"),
            sql<Buffer>`decode(key_hash, 'hex')`.as("key_hash"),
            sql<Buffer>`decode(request_hash, 'hex')`.as("request_hash"),
            sql<Buffer>`decode(answer, 'base64')`.as("answer"),
            sql<Date>`now()`.as("created_at"),
            sql<Date>`now() + interval '24 hours'`.as("expires_at"),
          ])
          // All transactions insert keys in this order, so that two batches with the same keys cannot deadlock.
          .orderBy(sql`given.key_hash`),
      )
      .onConflict(replaceExpired)
      .returning("account_id"),
);

const deleteExpiredStatement = prepareStatement<{ limit: number }, { account_id: number }>((db, parameter) =>
  db
    .with("expired", (cte) =>
      cte
        .selectFrom("idempotency_keys")
        .select(["account_id", "key_hash", "expires_at"])
        .where("expires_at", "<=", sql<Date>`now()`)
        .orderBy("expires_at")
        .limit(sql<number>`${parameter("limit")}`),
    )
    .deleteFrom("idempotency_keys as key")
    .using("expired")
    .whereRef("key.account_id", "=", "expired.account_id")
    .whereRef("key.key_hash", "=", "expired.key_hash")
    // Keeps a key that a new request has claimed since the CTE read the key. The operator is not `=`, so that the planner does not use the index
    // on `expires_at`: for each key, it would then read all expired keys.
    .whereRef("key.expires_at", "is not distinct from", "expired.expires_at")
    .returning("key.account_id"),
);

const CHUNK_ROWS = 1000;

/**
 * Claims an idempotency key for a transaction, which must then run `saveResponseStatement`. Waits for concurrent transactions with the same key.
 *
 * @returns undefined if this call claimed the key; otherwise, the stored response to the earlier request.
 * @throws DomainError `IDEMPOTENCY_KEY_REUSED` if the stored response belongs to another request.
 */
export async function claimIdempotencyKey(transaction: Executor, key: IdempotencyKey): Promise<Uint8Array | undefined> {
  const { accountId, keyHash, requestHash } = key;
  for (;;) {
    const claimed = await claimStatement(transaction, { accountId, keyHash, requestHash });
    if (claimed.length > 0) return undefined;
    const [row] = await findStatement(transaction, { accountId, keyHash });
    // The row has just expired and may have been deleted, so the loop tries to claim the key again.
    if (row?.answer == null) continue;
    if (!requestHash.equals(row.request_hash)) throw new DomainError("IDEMPOTENCY_KEY_REUSED", {});
    return row.answer;
  }
}

/** Deletes expired idempotency keys with their responses, and returns the number of deleted keys. Upkeep calls this regularly. */
export function deleteExpiredIdempotencyKeys(db: Executor): Promise<number> {
  return deleteInChunks(CHUNK_ROWS, (limit) => deleteExpiredStatement(db, { limit }));
}
