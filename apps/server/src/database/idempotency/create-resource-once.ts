import { fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import type { Executor } from "@calltrack/postgres";
import { decryptResponse, encryptResponse } from "./encrypted-response.js";
import type { IdempotencyKey } from "./idempotency-key.js";
import { claimIdempotencyKey, saveResponseStatement } from "./stored-responses.js";

/** Thrown to roll back a transaction that created no resource. */
const NOTHING_CREATED = Symbol("nothing created");

/**
 * Creates a resource only once per idempotency key: stores the key and the response in the transaction that creates the resource. A retry returns the
 * stored response. A concurrent request with the same key waits for the transaction. If `create` fails or creates nothing, nothing is stored.
 *
 * @param key undefined for a request without an id. `create` then runs every time, without a transaction.
 * @param create creates the resource, and returns the response, or undefined if it created no resource. It must use only the given executor, because
 *   the embedded database has a single connection.
 * @throws DomainError `IDEMPOTENCY_KEY_REUSED` if the key belongs to another request, or an error from `create`.
 */
export async function createResourceOnce<T extends Message | undefined>(
  db: Executor,
  key: IdempotencyKey | undefined,
  create: (db: Executor) => Promise<T>,
): Promise<T> {
  if (key === undefined) return create(db);
  const { method, requestId, accountId, keyHash } = key;
  try {
    return await db.transaction(async (transaction) => {
      // Statements in this transaction see rows that other transactions committed while this transaction waited for the key.
      const stored = await claimIdempotencyKey(transaction, key);
      if (stored !== undefined) return fromBinary(method.output, decryptResponse(stored, requestId)) as T;
      const created = await create(transaction);
      if (created === undefined) throw NOTHING_CREATED;
      const answer = encryptResponse(toBinary(method.output, created), requestId);
      await saveResponseStatement(transaction, { accountId, keyHash, answer });
      return created;
    });
  } catch (error) {
    if (error === NOTHING_CREATED) return undefined as T;
    throw error;
  }
}
